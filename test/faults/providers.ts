import { MULAW_8K } from '../../media/audio/format.ts';
import { decodeMulaw } from '../../media/audio/g711.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Transcriber, TranscriberListener } from '../../media/stt/transcriber.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from '../../media/tts/synthesizer.ts';
import type { ChatRequest, LanguageModel } from '../../shared/llm/language-model.ts';
import { createFakeModel, type ModelAnswer } from '../support/fake-model.ts';
import { createFakeSynthesizer } from '../support/fake-synthesizer.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { ask, broken, type Failure, LATE_MS, type Part, sleep } from './failure.ts';
import { isSpeech, pitchOf, UTTERANCES } from './speech.ts';

/** A call's providers, each of which may fail. `open` counts what a call must have closed at its end. */
export interface Open {
  transcribers: number;
  synthesizers: number;
  models: number;
}

/** From the end of speech to the final transcript, and without a request for it. */
const FINAL_MS = 150;
const UNASKED_FINAL_MS = 900;
const FRAME_MS = 20;
/** An adapter's own for its connection. */
const OPEN_DEADLINE_MS = 5_000;

interface ProviderOptions {
  clock: VirtualClock;
  /** Null for one that works. */
  failure: Failure | null;
  open: Open;
}

/** Reports an event now, later when the part is late, never when it hangs. */
function deliver(clock: VirtualClock, failure: Failure | null, part: Part, run: () => void): void {
  const wrong = failure?.of(part) ?? null;
  if (wrong === 'answers late') clock.after(LATE_MS, run);
  else if (wrong === null || wrong === 'throws') run();
}

const lost = () => new ProviderError('test', 'unavailable', 'the connection broke');

/** Recognizes the caller's utterances by their pitch, from the audio that it gets. */
export function createFailingTranscriber(options: ProviderOptions, listener: TranscriberListener): Transcriber {
  const { clock, failure, open } = options;
  const samples = new Int16Array(8 * FRAME_MS);
  let isOpen = false;
  let speech: number[] = [];
  let quietMs = 0;
  let turn = 0;
  let finalizing = false;
  const wrong = () => failure?.of('transcriber') ?? null;

  function fail(): void {
    if (isOpen) listener({ type: 'failed', error: lost() });
    close();
  }

  function close(): void {
    if (isOpen) open.transcribers--;
    isOpen = false;
  }

  function emitFinal(): void {
    if (speech.length === 0) return;
    const text = UTTERANCES.find(({ hz }) => Math.abs(hz - pitchOf(speech)) < 20)?.text ?? 'unclear';
    speech = [];
    finalizing = false;
    const number = turn++;
    deliver(clock, failure, 'transcriber', () => {
      if (isOpen) listener({ type: 'final', turn: number, text });
    });
  }

  failure?.onStrike('transcriber', () => {
    if (wrong() === 'dies') fail();
  });

  return {
    ...{ provider: 'test', model: 'test', input: MULAW_8K, decidesTurns: false },
    async open() {
      await ask(failure, 'transcriber', clock, async () => {}, OPEN_DEADLINE_MS).catch(() => {
        throw lost();
      });
      isOpen = true;
      open.transcribers++;
    },
    audio(chunk) {
      if (wrong() === 'throws') broken();
      if (!isOpen || wrong() === 'hangs' || wrong() === 'dies') return;
      for (let at = 0; at + samples.length <= chunk.length; at += samples.length) {
        decodeMulaw(chunk.subarray(at, at + samples.length), samples);
        if (isSpeech(samples)) {
          speech.push(...samples);
          quietMs = 0;
          continue;
        }
        quietMs += FRAME_MS;
        if (quietMs === (finalizing ? FINAL_MS : UNASKED_FINAL_MS)) emitFinal();
      }
    },
    finalize() {
      if (wrong() === 'throws') broken();
      finalizing = true;
      if (quietMs >= FINAL_MS && isOpen && wrong() !== 'hangs' && wrong() !== 'dies') emitFinal();
    },
    async close() {
      close();
      if (wrong() === 'hangs') await sleep(clock, Number.POSITIVE_INFINITY);
    },
  };
}

/** Speaks at once; a broken one loses its connection, and none can be opened until it works again. */
export function createFailingSynthesizer(options: ProviderOptions, listener: SynthesizerListener): Synthesizer {
  const { clock, failure, open } = options;
  let isOpen = false;
  const wrong = () => failure?.of('synthesizer') ?? null;
  const { synthesizer } = createFakeSynthesizer(clock, [], { chunkMs: 200, speed: 3 }, (event: SynthesizerEvent) =>
    deliver(clock, failure, 'synthesizer', () => {
      if (isOpen) listener(event);
    }),
  );

  failure?.onStrike('synthesizer', () => {
    if (wrong() === 'dies' && isOpen) listener({ type: 'failed', contextId: null, error: lost() });
  });

  return {
    ...synthesizer,
    async open() {
      isOpen = true;
      open.synthesizers++;
      await ask(failure, 'synthesizer', clock, async () => {}, OPEN_DEADLINE_MS).catch(() => {
        throw lost();
      });
    },
    speak(contextId, text) {
      if (wrong() === 'throws') broken();
      if (wrong() === 'dies') listener({ type: 'failed', contextId, error: lost() });
      else synthesizer.speak(contextId, text);
    },
    async close() {
      if (isOpen) open.synthesizers--;
      isOpen = false;
      if (wrong() === 'hangs') await sleep(clock, Number.POSITIVE_INFINITY);
    },
  };
}

/** Answers a request as the script says. */
export function createFailingModel(
  { clock, failure, open }: ProviderOptions,
  answer: (request: ChatRequest) => ModelAnswer,
  onRequest: () => void,
): LanguageModel {
  const { model } = createFakeModel(clock, 200, answer, onRequest);
  return {
    ...model,
    async *stream(request, signal) {
      open.models++;
      let isOpen = true;
      const close = () => {
        if (isOpen) open.models--;
        isOpen = false;
      };
      // After an abort nothing is read any more.
      signal.addEventListener('abort', close);
      try {
        const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await Promise.race([ask(failure, 'model', clock, async () => {}), aborted]);
        if (!signal.aborted) yield* model.stream(request, signal);
      } finally {
        close();
      }
    },
  };
}
