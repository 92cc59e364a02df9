import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { localSynthesizer } from '../../shared/providers/local-speech.ts';
import { onClock } from '../provider/connection-guard.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createClosedContexts } from './closed-contexts.ts';
import { ESPEAK_OUTPUT, type EspeakRun, runEspeak } from './espeak-process.ts';
import { espeakVoice, wordsPerMinute } from './espeak-voice.ts';
import type { Synthesizer, SynthesizerAdapter, SynthesizerListener } from './synthesizer.ts';

/**
 * The `local` synthesizer: espeak-ng, one process per segment of text. It needs no account and no network, and sends no
 * timings. The process of the next segment runs while the one before is still speaking.
 */

const PROVIDER = 'local';
const MODEL = 'espeak-ng';
const CLOSE_DEADLINE_MS = 500;
/** Concurrent processes of one context: of the segment that speaks and of the next one. */
const MAX_RUNNING = 2;
/** Between two segments. espeak-ng's own pause, up to a third of a second, would also follow the last segment of a reply. */
const SENTENCE_PAUSE_MS = 250;
const CLAUSE_PAUSE_MS = 120;

export interface EspeakSynthesizerOptions {
  /** The program, `espeak-ng`, or a path to it. */
  bin: string;
  /** Language tag; one that espeak-ng does not speak becomes American English. */
  language?: string;
  /** An espeak-ng variant such as `f3` or `Andy`; one it does not know changes nothing. */
  voiceId?: string;
  /** 0.6 to 1.5; 1 is 165 words per minute. */
  speed?: number;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
}

interface Segment {
  text: string;
  run: EspeakRun | null;
  /** Audio received before the segments before it were finished. */
  pending: Uint8Array[];
  finished: boolean;
}

interface Context {
  id: string;
  /** The first one is speaking. */
  segments: Segment[];
  ended: boolean;
  /** Silence before the next audio. */
  pauseMs: number;
}

export function createEspeakSynthesizer(options: EspeakSynthesizerOptions): Synthesizer {
  const { bin, clock, listener } = options;
  const voice = espeakVoice(options.language ?? '', options.voiceId ?? '');
  const speed = wordsPerMinute(options.speed ?? 1);
  if (options.language && voice.startsWith('en') && !/^en/i.test(options.language)) {
    options.log.warn({ provider: PROVIDER, language: options.language }, 'espeak-ng does not speak this language');
  }
  const contexts = new Map<string, Context>();
  const closedContexts = createClosedContexts();
  const runs = new Set<EspeakRun>();
  let opening: Promise<void> | null = null;
  let closing: Promise<void> | null = null;
  let rejectOpen = (): void => {};
  let closed = false;

  function start(text: string, onAudio: (b: Uint8Array) => void, onEnd: (e: ProviderError | null) => void): EspeakRun {
    const run = runEspeak({ provider: PROVIDER, bin, voice, wordsPerMinute: speed, text, clock, onAudio, onEnd });
    runs.add(run);
    void run.exited.then(() => runs.delete(run));
    return run;
  }

  function isLive(context: Context): boolean {
    return contexts.get(context.id) === context;
  }

  function closeContext(context: Context): void {
    contexts.delete(context.id);
    closedContexts.add(context.id);
    for (const segment of context.segments) segment.run?.kill();
    context.segments = [];
  }

  function startSegments(context: Context): void {
    for (const segment of context.segments.slice(0, MAX_RUNNING)) {
      segment.run ??= start(
        segment.text,
        (bytes) => onAudio(context, segment, bytes),
        (error) => onEnd(context, segment, error),
      );
    }
  }

  function onAudio(context: Context, segment: Segment, bytes: Uint8Array): void {
    if (context.segments[0] === segment) emit(context, bytes);
    else segment.pending.push(bytes);
  }

  function emit(context: Context, bytes: Uint8Array): void {
    if (context.pauseMs > 0) {
      const samples = Math.round((context.pauseMs * ESPEAK_OUTPUT.sample_rate) / 1000);
      context.pauseMs = 0;
      listener({ type: 'audio', contextId: context.id, bytes: new Uint8Array(samples * 2) });
    }
    // The listener may cancel the context during any event.
    if (isLive(context)) listener({ type: 'audio', contextId: context.id, bytes });
  }

  function onEnd(context: Context, segment: Segment, error: ProviderError | null): void {
    if (!isLive(context)) return;
    if (error) {
      closeContext(context);
      listener({ type: 'failed', contextId: context.id, error });
      return;
    }
    segment.finished = true;
    advance(context);
  }

  /** Removes finished segments and emits what the next one has buffered. */
  function advance(context: Context): void {
    while (isLive(context) && context.segments[0]?.finished) {
      const { text } = context.segments.shift()!;
      context.pauseMs = /[.!?…।॥。！？]["'”’)\]]*\s*$/u.test(text) ? SENTENCE_PAUSE_MS : CLAUSE_PAUSE_MS;
      startSegments(context);
      const next = context.segments[0];
      if (!next) break;
      const { pending } = next;
      next.pending = [];
      for (const bytes of pending) if (isLive(context)) emit(context, bytes);
    }
    if (isLive(context) && context.ended && context.segments.length === 0) {
      closeContext(context);
      listener({ type: 'done', contextId: context.id });
    }
  }

  /** Speaks an empty text: checks that the program and the voice exist, and loads both into memory. */
  function warmUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      rejectOpen = () => reject(new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened'));
      if (closed) return rejectOpen();
      start(
        '',
        () => {},
        (error) => (error ? reject(error) : resolve()),
      );
    });
  }

  function contextOf(contextId: string): Context {
    let known = contexts.get(contextId);
    if (!known) {
      known = { id: contextId, segments: [], ended: false, pauseMs: 0 };
      contexts.set(contextId, known);
    }
    return known;
  }

  return {
    provider: PROVIDER,
    model: MODEL,
    output: ESPEAK_OUTPUT,
    open() {
      opening ??= warmUp();
      return opening;
    },
    speak(contextId, text) {
      if (closed || closedContexts.has(contextId)) return;
      // Double brackets would make espeak-ng read phonemes; NUL would end the text.
      const plain = text.replaceAll('\0', '').replaceAll('[[', '[ [').trim();
      if (plain === '') return;
      const context = contextOf(contextId);
      if (context.ended) return;
      context.segments.push({ text: plain, run: null, pending: [], finished: false });
      startSegments(context);
    },
    end(contextId) {
      if (closed || closedContexts.has(contextId)) return;
      const context = contextOf(contextId);
      context.ended = true;
      // `done` must not be emitted within the caller's own call.
      queueMicrotask(onClock(clock, () => advance(context)));
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      if (context) closeContext(context);
      else closedContexts.add(contextId);
    },
    close() {
      closed = true;
      closing ??= new Promise<void>((resolve) => {
        rejectOpen();
        for (const context of [...contexts.values()]) closeContext(context);
        for (const run of runs) run.kill();
        const timer = clock.after(CLOSE_DEADLINE_MS, resolve);
        void Promise.all([...runs].map((run) => run.exited)).then(() => {
          timer.cancel();
          resolve();
        });
      });
      return closing;
    },
  };
}

export const adapter: SynthesizerAdapter<typeof localSynthesizer> = ({ settings, voice, ...call }) =>
  createEspeakSynthesizer({
    ...call,
    bin: settings.ESPEAK_BIN,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
  });
