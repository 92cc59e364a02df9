import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { money } from '../billing/money.ts';
import { changeProblemText, formProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import {
  postAgentsAgentIdTests as makeScenario,
  type SuggestedTestScenarios,
  postAgentsAgentIdTestsSuggest as suggest,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, NumberField, TextArea } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';

/** A model writes them one after the other. */
const WITHIN_MS = 120_000;
const DEFAULT_COUNT = 5;

/** Has scenarios drafted from the agent's configuration; those that are chosen are saved. */
export function Suggestions({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const [drafts, setDrafts] = useState<SuggestedTestScenarios | null>(null);
  const form = useForm<{ count: number | null; focus: string }>({ count: DEFAULT_COUNT, focus: '' });
  const body = () => ({ count: form.values.count ?? DEFAULT_COUNT, focus: form.values.focus });
  const draft = useMutation({
    mutationFn: () => ok(suggest(agentId, body(), {}, { fetch: fetchWithin(WITHIN_MS) })),
    onSuccess: setDrafts,
    onError: form.showErrors,
  });
  return (
    <Dialog title={t('Suggest scenarios')} wide onClose={onClose}>
      {drafts ? (
        <Drafts agentId={agentId} drafts={drafts} onClose={onClose} />
      ) : (
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!draft.isPending) draft.mutate();
          }}
        >
          <p class="quiet">
            {t('A model reads the prompt and the tools of the agent, and drafts callers for it. Nothing is saved yet.')}
          </p>
          <TextArea
            label={t('What they are to be about')}
            hint={t('Left empty: the agent as a whole.')}
            rows={2}
            maxLength={500}
            value={form.values.focus}
            onChange={(value) => form.set('focus', value)}
            error={form.errors.focus}
          />
          <NumberField
            label={t('How many')}
            min={1}
            max={10}
            step={1}
            value={form.values.count}
            onChange={(value) => form.set('count', value)}
            error={form.errors.count}
          />
          <p class="error" role="alert">
            {formProblemText(draft.error)}
          </p>
          <div class="buttons">
            <button type="submit" class="primary" aria-disabled={draft.isPending}>
              {draft.isPending ? t('Scenarios are being drafted…') : t('Draft scenarios')}
            </button>
            <button type="button" class="secondary" onClick={onClose}>
              {t('Cancel')}
            </button>
            <CopyCurl call={(opts) => suggest(agentId, body(), {}, opts)} />
          </div>
        </form>
      )}
    </Dialog>
  );
}

interface DraftsProps {
  agentId: string;
  drafts: SuggestedTestScenarios;
  onClose: () => void;
}

function Drafts({ agentId, drafts: { items, cost_paise, currency }, onClose }: DraftsProps) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set(items.keys()));
  const [saved, setSaved] = useState<ReadonlySet<number>>(new Set());
  const waiting = items.flatMap((_, at) => (chosen.has(at) && !saved.has(at) ? [at] : []));
  const save = useMutation({
    mutationFn: async () => {
      // One after the other, so that after a refusal it is known which are saved.
      for (const at of waiting) {
        await ok(makeScenario(agentId, items[at]!));
        setSaved((before) => new Set([...before, at]));
      }
    },
    onSuccess: () => {
      toast(tn('{{count}} scenario is saved.', '{{count}} scenarios are saved.', waiting.length));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['scenarios', agentId] }),
  });
  return (
    <>
      <p class="quiet">
        {t('That cost {{amount}}. Choose those to save; they can be changed afterwards.', {
          amount: money(cost_paise, currency),
        })}
      </p>
      <ul class="rows drafts">
        {items.map(({ name, persona, criteria }, at) => (
          <li key={name}>
            <CheckField
              label={name}
              hint={
                <>
                  {persona}
                  <ul class="draft-criteria">
                    {criteria.map((each) => (
                      <li key={each}>{each}</li>
                    ))}
                  </ul>
                </>
              }
              checked={chosen.has(at)}
              disabled={saved.has(at)}
              onChange={(checked) => {
                const next = new Set(chosen);
                if (checked) next.add(at);
                else next.delete(at);
                setChosen(next);
              }}
            />
          </li>
        ))}
      </ul>
      <p class="error" role="alert">
        {save.isError && changeProblemText(save.error)}
      </p>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          aria-disabled={save.isPending || waiting.length === 0}
          onClick={() => !save.isPending && waiting.length > 0 && save.mutate()}
        >
          {save.isPending
            ? t('One moment…')
            : tn('Save {{count}} scenario', 'Save {{count}} scenarios', waiting.length)}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
    </>
  );
}
