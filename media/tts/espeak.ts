import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { localSynthesizer } from '../../shared/providers/local-speech.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createClosedContexts } from './closed-contexts.ts';
import { ESPEAK_OUTPUT, type EspeakRun, runEspeak } from './espeak-process.ts';
import { espeakVoice, wordsPerMinute } from './espeak-voice.ts';
import type { Synthesizer, SynthesizerAdapter, SynthesizerListener } from './synthesizer.ts';

/**
 * The `local` voice: espeak-ng, one process for each piece of text. No account, no network; it gives no timing.
 * The process of the next piece runs ahead while the one before is still speaking.
 */

const PROVIDER = 'local';
const MODEL = 'espeak-ng';
const CLOSE_DEADLINE_MS = 500;
/** Processes at the same time in one context: the piece that speaks and the next one. */
const MAX_RUNNING = 2;
/** The rest between two pieces. espeak-ng's own, up to a third of a second, would also follow the last of a reply. */
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
  /** Sound of a piece whose turn has not come. */
  pending: Uint8Array[];
  finished: boolean;
}

interface Context {
  id: string;
  /** The first one speaks. */
  segments: Segment[];
  ended: boolean;
  /** Owed before the next piece sounds. */
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
  const spent = createClosedContexts();
  const runs = new Set<EspeakRun>();
  let opening: Promise<void> | null = null;
  let closing: Promise<void> | null = null;
  let abandonOpen = (): void => {};
  let closed = false;

  function start(text: string, onSound: (b: Uint8Array) => void, onEnd: (e: ProviderError | null) => void): EspeakRun {
    const run = runEspeak({
      provider: PROVIDER,
      bin,
      voice,
      wordsPerMinute: speed,
      text,
      clock,
      onAudio: onSound,
      onEnd,
    });
    runs.add(run);
    void run.exited.then(() => runs.delete(run));
    return run;
  }

  function alive(context: Context): boolean {
    return contexts.get(context.id) === context;
  }

  function drop(context: Context): void {
    contexts.delete(context.id);
    spent.add(context.id);
    for (const piece of context.segments) piece.run?.kill();
    context.segments = [];
  }

  function startPieces(context: Context): void {
    for (const piece of context.segments.slice(0, MAX_RUNNING)) {
      piece.run ??= start(
        piece.text,
        (bytes) => onSound(context, piece, bytes),
        (error) => onEnd(context, piece, error),
      );
    }
  }

  function onSound(context: Context, piece: Segment, bytes: Uint8Array): void {
    if (context.segments[0] === piece) give(context, bytes);
    else piece.pending.push(bytes);
  }

  function give(context: Context, bytes: Uint8Array): void {
    if (context.pauseMs > 0) {
      const samples = Math.round((context.pauseMs * ESPEAK_OUTPUT.sample_rate) / 1000);
      context.pauseMs = 0;
      listener({ type: 'audio', contextId: context.id, bytes: new Uint8Array(samples * 2) });
    }
    // The listener may cancel at any event.
    if (alive(context)) listener({ type: 'audio', contextId: context.id, bytes });
  }

  function onEnd(context: Context, piece: Segment, error: ProviderError | null): void {
    if (!alive(context)) return;
    if (error) {
      drop(context);
      listener({ type: 'failed', contextId: context.id, error });
      return;
    }
    piece.finished = true;
    advance(context);
  }

  /** Takes finished pieces from the front, and gives what the next one has said already. */
  function advance(context: Context): void {
    while (alive(context) && context.segments[0]?.finished) {
      const done = context.segments.shift()!;
      context.pauseMs = /[.!?…।॥。！？]["'”’)\]]*\s*$/u.test(done.text) ? SENTENCE_PAUSE_MS : CLAUSE_PAUSE_MS;
      startPieces(context);
      const next = context.segments[0];
      if (!next) break;
      const early = next.pending;
      next.pending = [];
      for (const bytes of early) if (alive(context)) give(context, bytes);
    }
    if (alive(context) && context.ended && context.segments.length === 0) {
      drop(context);
      listener({ type: 'done', contextId: context.id });
    }
  }

  /** Speaks nothing: finds out whether the program and the voice are there, and brings both into memory. */
  function rehearse(): Promise<void> {
    return new Promise((resolve, reject) => {
      abandonOpen = () => reject(new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened'));
      if (closed) return abandonOpen();
      start(
        '',
        () => {},
        (error) => (error ? reject(error) : resolve()),
      );
    });
  }

  function context(contextId: string): Context {
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
      opening ??= rehearse();
      return opening;
    },
    speak(contextId, text) {
      if (closed || spent.has(contextId)) return;
      // Double brackets would make espeak-ng read phonemes; NUL would end the text.
      const plain = text.replaceAll('\0', '').replaceAll('[[', '[ [').trim();
      if (plain === '') return;
      const into = context(contextId);
      if (into.ended) return;
      into.segments.push({ text: plain, run: null, pending: [], finished: false });
      startPieces(into);
    },
    end(contextId) {
      if (closed || spent.has(contextId)) return;
      const ending = context(contextId);
      ending.ended = true;
      // Never from within the caller's own call.
      queueMicrotask(() => advance(ending));
    },
    cancel(contextId) {
      const cancelled = contexts.get(contextId);
      if (cancelled) drop(cancelled);
      else spent.add(contextId);
    },
    close() {
      closed = true;
      closing ??= new Promise<void>((resolve) => {
        abandonOpen();
        for (const open of [...contexts.values()]) drop(open);
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
