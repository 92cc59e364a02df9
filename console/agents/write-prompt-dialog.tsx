import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { money } from '../billing/money.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { formProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import { type GeneratedPrompt, postAgentsPromptGenerate as writePrompt } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { WRITING_TIMEOUT_MS } from './new-agent-dialog.tsx';
import type { Editor } from './use-draft.ts';

/** Has a welcome and a prompt written from a brief; they go into the draft when the person accepts them. */
export function WritePromptDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const { agent, draft, set } = editor;
  const [brief, setBrief] = useState('');
  const [tone, setTone] = useState('');
  const [improve, setImprove] = useState(draft.system_prompt.trim() !== '');
  const body = () => ({
    ...{ brief, language: draft.voice.language },
    ...(tone.trim() && { tone }),
    ...(improve && { agent_id: agent.id }),
  });
  const write = useMutation({
    mutationFn: () => ok(writePrompt(body(), {}, { fetch: fetchWithin(WRITING_TIMEOUT_MS) })),
  });
  const errors = fieldErrors(write.error);

  function accept({ welcome_message, system_prompt }: GeneratedPrompt) {
    const before = { welcome_message: draft.welcome_message, system_prompt: draft.system_prompt };
    const put = (texts: typeof before) => {
      set('welcome_message', texts.welcome_message);
      set('system_prompt', texts.system_prompt);
    };
    put({ welcome_message, system_prompt });
    toast(t('The new texts are in the draft.'), { undo: () => put(before) });
    onClose();
  }

  if (write.data) {
    return (
      <Dialog title={t('The new texts')} wide onClose={onClose}>
        <Written result={write.data} />
        <div class="buttons">
          <button type="button" class="primary" onClick={() => accept(write.data)}>
            {t('Use these')}
          </button>
          <button type="button" class="secondary" onClick={() => write.reset()}>
            {t('Change the brief')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Discard')}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t('Have the prompt written')} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!write.isPending) write.mutate();
        }}
      >
        <TextArea
          label={t('Brief')}
          hint={t('Whom it talks to, what it should achieve, what it must know. It costs a few credits.')}
          rows={6}
          maxLength={4000}
          value={brief}
          onChange={setBrief}
          error={errors.brief}
        />
        <TextField
          label={t('Tone (optional)')}
          hint={t('Such as warm and brief.')}
          value={tone}
          onChange={setTone}
          error={errors.tone}
        />
        <CheckField
          label={t('Improve the saved prompt')}
          hint={t('Else a new one is written.')}
          checked={improve}
          onChange={setImprove}
        />
        <p class="error" role="alert">
          {formProblemText(write.error)}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={write.isPending}>
            {write.isPending ? t('Writing…') : t('Write')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
          <CopyCurl call={(opts) => writePrompt(body(), {}, opts)} />
        </div>
      </form>
    </Dialog>
  );
}

function Written({ result }: { result: GeneratedPrompt }) {
  const { welcome_message, system_prompt, cost_paise, currency } = result;
  return (
    <dl class="written">
      <dt class="quiet">{t('Welcome')}</dt>
      <dd>{welcome_message}</dd>
      <dt class="quiet">{t('Prompt')}</dt>
      <dd>{system_prompt}</dd>
      <dt class="quiet">{t('Cost')}</dt>
      <dd>{money(cost_paise, currency)}</dd>
    </dl>
  );
}
