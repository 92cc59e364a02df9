import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ApiCall } from '../data/curl.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { NumberField, SelectField } from '../ui/fields.tsx';
import { noiseOptions, type RunRequest, runBody } from './run-texts.ts';

interface RunFormProps {
  /** On the button, such as `Run all`. */
  action: string;
  call: (body: RunRequest) => ApiCall;
  run: (body: RunRequest) => Promise<unknown>;
}

const DEFAULT_NOISE = 'office';

/** Starts runs: in text, or aloud on a line with noise and a caller who interrupts. */
export function RunForm({ action, call, run }: RunFormProps) {
  const [mode, setMode] = useState<RunRequest['mode']>('text');
  const [noise, setNoise] = useState(DEFAULT_NOISE);
  const [interruptions, setInterruptions] = useState<number | null>(1);
  const body = () => runBody(mode, noise, interruptions);
  const start = useMutation({ mutationFn: () => run(body()) });
  return (
    <form
      class="panel run-form"
      aria-label={action}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!start.isPending) start.mutate();
      }}
    >
      <div class="run-fields">
        <SelectField
          label={t('How')}
          value={mode}
          onChange={(value) => setMode(value === 'voice' ? 'voice' : 'text')}
          options={[
            { value: 'text', label: t('In text') },
            { value: 'voice', label: t('Aloud') },
          ]}
        />
        {mode === 'voice' && (
          <>
            <SelectField
              label={t('Noise behind the caller')}
              value={noise}
              onChange={setNoise}
              options={noiseOptions()}
            />
            <NumberField
              label={t('Replies the caller talks over')}
              value={interruptions}
              onChange={setInterruptions}
              min={0}
              max={10}
              step={1}
            />
          </>
        )}
        <button type="submit" class="primary" aria-disabled={start.isPending}>
          {start.isPending ? t('One moment…') : action}
        </button>
        <CopyCurl call={(opts) => call(body())(opts)} />
      </div>
      <p class="error" role="alert">
        {start.isError && changeProblemText(start.error)}
      </p>
      <p class="quiet small">
        {mode === 'text'
          ? t(
              'A simulated caller writes with the agent as it is saved. No tool is called, and it costs what the models cost.',
            )
          : t('A synthesized caller speaks with the agent as it is saved. What is said is recorded and measured.')}
      </p>
    </form>
  );
}
