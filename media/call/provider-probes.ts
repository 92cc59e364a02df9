import type { Clock, Timer } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { TranscriberChoice } from '../stt/fallback-transcriber.ts';
import type { SynthesizerChoice } from '../tts/fallback-synthesizer.ts';

/** One small, real use of a provider each, which says whether it is well: resolves when it is. */

const PROBE_DEADLINE_MS = 5_000;
/** A short word in any language. */
const PROBE_TEXT = 'Okay. ';

/** It connects and takes us in. */
export async function probeTranscriber(choice: TranscriberChoice, clock: Clock): Promise<void> {
  const transcriber = choice.create(() => {});
  try {
    await within(clock, transcriber.open());
  } finally {
    await transcriber.close();
  }
}

/** It speaks a word. */
export async function probeSynthesizer(choice: SynthesizerChoice, clock: Clock): Promise<void> {
  let spoke = () => {};
  let broke = (_: Error) => {};
  const sound = new Promise<void>((resolve, reject) => {
    spoke = resolve;
    broke = reject;
  });
  sound.catch(() => {});
  const voice = choice.create((event) => {
    if (event.type === 'audio') spoke();
    else if (event.type === 'failed') broke(event.error);
    else if (event.type === 'done') broke(new Error('no sound for a word'));
  });
  try {
    await within(
      clock,
      voice.open().then(() => {
        voice.speak('probe', PROBE_TEXT);
        voice.end('probe');
        return sound;
      }),
    );
  } finally {
    await voice.close();
  }
}

/** It says a word. */
export async function probeModel(model: LanguageModel, clock: Clock): Promise<void> {
  const stop = new AbortController();
  const request = {
    messages: [{ role: 'user' as const, content: 'Say: okay' }],
    tools: [],
    temperature: 0,
    max_tokens: 5,
  };
  const word = async () => {
    for await (const part of model.stream(request, stop.signal)) if (part.type === 'text') return;
    throw new Error('no word');
  };
  try {
    await within(clock, word());
  } finally {
    stop.abort();
  }
}

async function within(clock: Clock, work: Promise<void>): Promise<void> {
  let timer: Timer | null = null;
  const late = new Promise<never>((_, reject) => {
    timer = clock.after(PROBE_DEADLINE_MS, () => reject(new Error(`no answer within ${PROBE_DEADLINE_MS} ms`)));
  });
  work.catch(() => {});
  try {
    await Promise.race([work, late]);
  } finally {
    (timer as Timer | null)?.cancel();
  }
}
