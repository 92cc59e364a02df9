import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import type { TranscriberChoice } from '../stt/fallback-transcriber.ts';
import type { SynthesizerChoice } from '../tts/fallback-synthesizer.ts';

const PROBE_DEADLINE_MS = 5_000;
/** A short word in any language. */
const PROBE_TEXT = 'Okay. ';

/** Probes a transcriber with a connection. Rejects when it is unhealthy. */
export async function probeTranscriber(choice: TranscriberChoice, clock: Clock): Promise<void> {
  const transcriber = choice.create(() => {});
  try {
    await withDeadline(transcriber.open(), clock);
  } finally {
    await transcriber.close();
  }
}

/** Probes a synthesizer with one word. Rejects when it is unhealthy. */
export async function probeSynthesizer(choice: SynthesizerChoice, clock: Clock): Promise<void> {
  const { promise: firstAudio, resolve, reject } = Promise.withResolvers<void>();
  firstAudio.catch(() => {});
  const synthesizer = choice.create((event) => {
    if (event.type === 'audio') resolve();
    else if (event.type === 'failed') reject(event.error);
    else if (event.type === 'done') reject(new Error('no audio for a word'));
  });
  const speak = async () => {
    await synthesizer.open();
    synthesizer.speak('probe', PROBE_TEXT);
    synthesizer.end('probe');
    await firstAudio;
  };
  try {
    await withDeadline(speak(), clock);
  } finally {
    await synthesizer.close();
  }
}

/** Probes a language model with a request for one word. Rejects when it is unhealthy. */
export async function probeModel(model: LanguageModel, clock: Clock): Promise<void> {
  const abort = new AbortController();
  const messages = [{ role: 'user' as const, content: 'Say: okay' }];
  const firstToken = async () => {
    const request = { messages, tools: [], temperature: 0, max_tokens: 5 };
    for await (const part of model.stream(request, abort.signal)) if (part.type === 'text') return;
    throw new Error('no word');
  };
  try {
    await withDeadline(firstToken(), clock);
  } finally {
    abort.abort();
  }
}

function withDeadline(work: Promise<void>, clock: Clock): Promise<void> {
  return withTimeout(work, PROBE_DEADLINE_MS, clock, () => {
    throw new Error(`no answer within ${PROBE_DEADLINE_MS} ms`);
  });
}
