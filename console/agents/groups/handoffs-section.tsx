import { useRoute } from 'preact-iso';
import { t } from '../../texts/texts.ts';
import { NumberField, SelectField, TextArea, TextField } from '../../ui/fields.tsx';
import { EditedList } from '../edited-list.tsx';
import { useAgents } from '../queries.ts';
import { Section } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';

const MAX_OTHERS = 5;

/** Which other agents may go on with a call. */
export function HandoffsSection({ editor }: { editor: Editor }) {
  const { agent_id: ownId } = useRoute().params;
  const agents = useAgents();
  const path = 'call.handoffs';
  const others = (agents.data ?? []).filter(({ id }) => id !== ownId);
  /** Also an agent that was deleted since. */
  const optionsWith = (chosen: string) => [
    { value: '', label: t('Choose an agent') },
    ...others.map(({ id, name }) => ({ value: id, label: name })),
    ...(chosen === '' || agents.isPending || others.some(({ id }) => id === chosen)
      ? []
      : [{ value: chosen, label: t('An agent that was deleted') }]),
  ];
  return (
    <Section
      title={t('Other agents')}
      hint={t('The call goes on with another agent: its prompt, tools, knowledge, model and voice. At most five.')}
    >
      <EditedList
        items={editor.draft.call.handoffs}
        max={MAX_OTHERS}
        add={t('Add an agent')}
        itemName={({ name }, at) => name || t('Agent {{number}}', { number: at + 1 })}
        empty={() => ({ agent_id: '', name: '', description: '', history_turns: null, first_message: '' })}
        error={editor.errors[path]}
        onChange={(next) => editor.set(path, next)}
      >
        {(handoff, change, at) => {
          const error = (field: string) => editor.errors[`${path}.${at}.${field}`];
          return (
            <>
              <div class="form-row">
                <SelectField
                  label={t('Agent')}
                  value={handoff.agent_id}
                  options={optionsWith(handoff.agent_id)}
                  error={error('agent_id')}
                  onChange={(agent_id) => {
                    const name = others.find(({ id }) => id === agent_id)?.name ?? '';
                    change({ agent_id, ...(handoff.name === '' && { name: name.slice(0, 60) }) });
                  }}
                />
                <TextField
                  label={t('Name')}
                  hint={t('What this agent calls it.')}
                  value={handoff.name}
                  maxLength={60}
                  error={error('name')}
                  onChange={(name) => change({ name })}
                />
              </div>
              <TextArea
                label={t('When to hand the call over')}
                rows={2}
                maxLength={300}
                value={handoff.description}
                error={error('description')}
                onChange={(description) => change({ description })}
              />
              <div class="form-row">
                <TextField
                  label={t('What it says first')}
                  hint={t('Empty: it answers what the caller said.')}
                  value={handoff.first_message}
                  maxLength={500}
                  error={error('first_message')}
                  onChange={(first_message) => change({ first_message })}
                />
                <NumberField
                  label={t('Last turns that it knows')}
                  hint={t('Empty: the whole conversation.')}
                  min={0}
                  max={100}
                  step={1}
                  value={handoff.history_turns}
                  error={error('history_turns')}
                  onChange={(history_turns) => change({ history_turns })}
                />
              </div>
            </>
          );
        }}
      </EditedList>
    </Section>
  );
}
