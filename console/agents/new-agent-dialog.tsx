import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { formProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import { postAgents as createAgent, postAgentsPromptGenerate as writePrompt } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';
import { newAgentBody, plainTexts } from './new-agent.ts';
import { useCatalog } from './queries.ts';

/** A language model writes the answer. */
export const WRITING_TIMEOUT_MS = 90_000;

/** Asks for what a new agent needs: a name, a language, and what it should do. */
export function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const client = useQueryClient();
  const catalog = useCatalog();
  const form = useForm({ name: '', language: 'hi', brief: '' });
  const { name, language, brief } = form.values;
  const body = () => newAgentBody({ name, language, ...plainTexts(name, language) }, catalog.data ?? {});
  const create = useMutation({
    mutationFn: async ({ write }: { write: boolean }) => {
      // Without a name nothing is written, since that costs credits.
      if (!write || name.trim() === '') return ok(createAgent(body()));
      const { welcome_message, system_prompt } = await ok(
        writePrompt({ brief, language }, {}, { fetch: fetchWithin(WRITING_TIMEOUT_MS) }),
      );
      return ok(createAgent({ ...body(), welcome_message, system_prompt }));
    },
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['agents'] });
      route(`/agents/${id}`);
    },
    onError: form.showErrors,
  });
  const wantsPrompt = brief.trim() !== '';
  const problem = formProblemText(create.error);
  const couldNotWrite = wantsPrompt && problem !== '';
  const languages = catalog.data?.languages ?? [];

  return (
    <Dialog title={t('New agent')} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!create.isPending) create.mutate({ write: wantsPrompt });
        }}
      >
        <TextField
          label={t('Name')}
          hint={t('Such as “Appointments”. Callers do not see it.')}
          value={name}
          maxLength={120}
          onChange={(value) => form.set('name', value)}
          error={form.errors.name}
        />
        <SelectField
          label={t('Language')}
          hint={t('What the agent speaks, and its callers.')}
          value={language}
          onChange={(value) => form.set('language', value)}
          options={
            languages.length > 0
              ? languages.map((each) => ({ value: each.code, label: languageLabel(each) }))
              : [{ value: 'hi', label: 'Hindi' }]
          }
          error={form.errors['voice.language']}
        />
        <TextArea
          label={t('What should it do? (optional)')}
          hint={t(
            'In your own words: whom it talks to and what it should achieve. Its prompt is written from that, for a few credits.',
          )}
          value={brief}
          rows={5}
          maxLength={4000}
          onChange={(value) => form.set('brief', value)}
          error={form.errors.brief}
        />
        <p class="error" role="alert">
          {problem}
        </p>
        {/* Four buttons do not fit beside each other. */}
        {couldNotWrite && (
          <div class="buttons">
            <button type="button" class="secondary" onClick={() => create.mutate({ write: false })}>
              {t('Create without a prompt')}
            </button>
          </div>
        )}
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={create.isPending}>
            {create.isPending ? (wantsPrompt ? t('Writing its prompt…') : t('One moment…')) : t('Create agent')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
          <CopyCurl call={(opts) => createAgent(body(), {}, opts)} />
        </div>
      </form>
    </Dialog>
  );
}

const languageLabel = ({ name, native_name }: { name: string; native_name: string }): string =>
  name === native_name ? name : `${name} · ${native_name}`;
