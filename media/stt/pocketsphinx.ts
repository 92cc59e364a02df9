import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { localTranscriber } from '../../shared/providers/local-speech.ts';
import { PCM_16K } from '../audio/format.ts';
import { onClock } from '../provider/connection-guard.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { createAudioGate, GATE_FRAME_MS } from './audio-gate.ts';
import { type PocketsphinxProcess, startPocketsphinx } from './pocketsphinx-process.ts';
import type { Transcriber, TranscriberAdapter, TranscriberListener } from './transcriber.ts';

/**
 * The `local` transcriber: CMU Pocketsphinx (Debian: `pocketsphinx` and `pocketsphinx-en-us`), for a machine without
 * provider accounts. It transcribes on `finalize` only; there are no `partial` events.
 *
 * - One process per turn, a spare one always loaded: only the end of its input makes the program print its transcript at
 *   once. Its own voice detection is off, because it loses the beginnings of sentences after line noise; a gate by loudness
 *   replaces it.
 * - Every `finalize` gives exactly one `final` event, '' when nothing was understood, within `FINAL_DEADLINE_MS`. `turn`
 *   counts them. A turn longer than `MAX_SEGMENT_MS` gives further `final` events before.
 * - Audio without a `finalize` was no speech by the call's voice activity: it is dropped after `DROP_AFTER_MS` of silence.
 */

const PROVIDER = 'local';
const OPEN_DEADLINE_MS = 5_000;
/** On a loaded machine; the caller is asked to say it again after four seconds, and words that come then are answered. */
const FINAL_DEADLINE_MS = 10_000;
const DROP_AFTER_MS = 3_000;
const MAX_SEGMENT_MS = 30_000;
const FRAME_SAMPLES = (PCM_16K.sample_rate * GATE_FRAME_MS) / 1000;
const BYTES_PER_MS = (PCM_16K.sample_rate * 2) / 1000;
const MAX_PENDING_MS = 2_000;

/**
 * Level of the mirrored spectrum. Telephone audio has nothing above 4 kHz, where the acoustic model expects the hiss of s, t
 * and f; the lower half of the spectrum mirrored upwards resembles it. Word error rate over `fixtures/speech` through µ-law
 * with the `booking` model: 67 % without, 3 % with 0.4 (0.2: 8 %, 0.6: 5 %).
 */
const MIRROR = 0.4;
/** Gain that keeps loud speech from clipping. */
const MIRROR_HEADROOM = 1 / (1 + MIRROR);

export interface PocketsphinxOptions {
  /** The program, by name or path: `pocketsphinx_continuous`. */
  bin: string;
  /** Debian's models: `/usr/share/pocketsphinx/model`. */
  modelsDir: string;
  /** Small language models: `<model>.lm` and `<model>.dict`. */
  languageModelsDir: string;
  /** `en-us`, Debian's general model, or the name of a small one, which is far better within its vocabulary. */
  model: string;
  /** `telephone` (default) audio is empty above 4 kHz, `wide` is not. */
  bandwidth?: 'telephone' | 'wide';
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}

/** The paths of a model's files. @throws ProviderError when the name is invalid or a file is missing. */
function modelFiles(options: PocketsphinxOptions): { hmm: string; lm: string; dict: string } {
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(options.model)) {
    throw new ProviderError(PROVIDER, 'bad_request', 'the name of a local model has letters, digits, - and _ only');
  }
  const debian = join(options.modelsDir, 'en-us');
  const small = join(options.languageModelsDir, options.model);
  const hmm = join(debian, 'en-us');
  const files =
    options.model === 'en-us'
      ? { hmm, lm: join(debian, 'en-us.lm.bin'), dict: join(debian, 'cmudict-en-us.dict') }
      : { hmm, lm: `${small}.lm`, dict: `${small}.dict` };
  if (!existsSync(hmm)) {
    throw new ProviderError(PROVIDER, 'unavailable', `no acoustic model at ${hmm}: install pocketsphinx-en-us`);
  }
  for (const file of [files.lm, files.dict]) {
    if (!existsSync(file)) throw new ProviderError(PROVIDER, 'bad_request', `no local language model at ${file}`);
  }
  return files;
}

interface Segment {
  process: PocketsphinxProcess;
  ms: number;
}

export function createPocketsphinx(options: PocketsphinxOptions): Transcriber {
  const { clock, log, listener } = options;
  const gate = createAudioGate();
  const frame = new Int16Array(FRAME_SAMPLES);
  let filled = 0;
  let oddByte = -1;

  let args: string[] = [];
  let opening: Promise<void> | null = null;
  let ready = false;
  let closed = false;
  let failureReported = false;
  const alive = new Set<PocketsphinxProcess>();
  let spare: PocketsphinxProcess | null = null;
  let segment: Segment | null = null;
  /** Audio from before the program was ready. */
  let pendingFrames: Int16Array[] = [];
  let turn = 0;
  /** Transcripts are emitted in the order in which they were requested. */
  let transcripts: Promise<void> = Promise.resolve();
  let droppedBytes = 0;
  let droppedSegments = 0;

  function fail(kind: ProviderFailure, message: string): void {
    if (closed || failureReported) return;
    failureReported = true;
    segment = null;
    spare = null;
    for (const process of alive) void process.kill();
    listener({ type: 'failed', error: new ProviderError(PROVIDER, kind, message) });
  }

  function start(): PocketsphinxProcess {
    const process = startPocketsphinx({
      bin: options.bin,
      args,
      maxWaitingBytes: MAX_PENDING_MS * BYTES_PER_MS,
      clock,
      onExit(reason) {
        alive.delete(process);
        if (ready) fail('unavailable', `the transcriber's process ${reason}`);
      },
    });
    alive.add(process);
    return process;
  }

  /** Runs the program over 100 ms of silence, the only proof that it and its models work. */
  async function connect(): Promise<void> {
    const files = modelFiles(options);
    // The acoustic model's feat.params sets the rest.
    args = ['-infile', '/dev/stdin', '-logfn', '/dev/null', '-hmm', files.hmm, '-lm', files.lm, '-dict', files.dict];
    args.push('-remove_silence', 'no', '-remove_noise', 'no');
    const trial = start();
    try {
      await trial.started;
      trial.write(new Uint8Array(100 * BYTES_PER_MS));
      await trial.finish(OPEN_DEADLINE_MS);
    } catch (error) {
      if (closed) throw closedWhileOpening();
      // The shell's exit codes for a missing program, and one that may not be executed.
      if (/code 12[67]$/.test(errorText(error))) {
        const message = `cannot run ${options.bin}: install Debian's pocketsphinx and pocketsphinx-en-us`;
        throw new ProviderError(PROVIDER, 'unavailable', message);
      }
      const kind = errorText(error).startsWith('did not answer') ? 'timeout' : 'unavailable';
      throw new ProviderError(PROVIDER, kind, `the transcriber's process ${errorText(error)}`);
    } finally {
      alive.delete(trial);
    }
    if (closed) throw closedWhileOpening();
    ready = true;
    spare = start();
    for (const samples of pendingFrames) onFrame(samples);
    pendingFrames = [];
  }

  function onFrame(samples: Int16Array): void {
    gate.process(samples, onPassed);
    if (segment && gate.quietFrames * GATE_FRAME_MS >= DROP_AFTER_MS) {
      droppedSegments++;
      const { process } = segment;
      segment = null;
      void process.kill().finally(() => alive.delete(process));
    }
  }

  function onPassed(samples: Int16Array): void {
    if (failureReported || closed) return;
    if (!segment) {
      segment = { process: spare ?? start(), ms: 0 };
      spare = start();
    }
    segment.process.write(prepare(samples));
    segment.ms += GATE_FRAME_MS;
    if (segment.ms >= MAX_SEGMENT_MS) {
      const { process } = segment;
      segment = null;
      emitFinal(process, turn, false);
    }
  }

  function prepare(samples: Int16Array): Uint8Array {
    if (options.bandwidth !== 'wide') {
      // Inverting every other sample mirrors the spectrum; a frame has an even number of samples.
      for (let at = 0; at < samples.length; at++) {
        samples[at] = samples[at]! * (at & 1 ? 1 - MIRROR : 1 + MIRROR) * MIRROR_HEADROOM;
      }
    }
    return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  }

  /** Emits the transcript of a process that has its audio. `always`: even an empty one. */
  function emitFinal(process: PocketsphinxProcess | null, ofTurn: number, always: boolean): void {
    const transcript = process ? transcriptOf(process) : Promise.resolve('');
    const emit = onClock(clock, listener);
    transcripts = transcripts.then(async () => {
      const text = await transcript;
      if (closed || failureReported || (text === '' && !always)) return;
      emit({ type: 'final', turn: ofTurn, text });
    });
  }

  async function transcriptOf(process: PocketsphinxProcess): Promise<string> {
    try {
      return await process.finish(FINAL_DEADLINE_MS);
    } catch (error) {
      if (!closed && !failureReported) {
        const reason = errorText(error);
        // A slow process costs one sentence, which the caller can repeat. A process that crashes will crash again.
        if (reason.startsWith('did not answer'))
          log.warn({ provider: PROVIDER, reason }, 'transcriber too slow; a turn has no transcript');
        else fail('unavailable', `the transcriber's process ${reason}`);
      }
      return '';
    } finally {
      if (process.droppedBytes > 0) {
        droppedBytes += process.droppedBytes;
        log.warn({ provider: PROVIDER, dropped_ms: process.droppedBytes / BYTES_PER_MS }, 'transcriber dropped audio');
      }
      alive.delete(process);
    }
  }

  return {
    provider: PROVIDER,
    model: options.model,
    input: PCM_16K,
    decidesTurns: false,
    open() {
      opening ??= connect();
      return opening;
    },
    audio(chunk) {
      if (closed || failureReported) return;
      let at = 0;
      while (at < chunk.length) {
        const low = oddByte >= 0 ? oddByte : chunk[at++]!;
        if (at >= chunk.length) {
          oddByte = low;
          return;
        }
        oddByte = -1;
        // An Int16Array keeps the low 16 bits, sign included.
        frame[filled++] = low | (chunk[at++]! << 8);
        if (filled < FRAME_SAMPLES) continue;
        filled = 0;
        if (ready) onFrame(frame);
        else {
          pendingFrames.push(frame.slice());
          if (pendingFrames.length > MAX_PENDING_MS / GATE_FRAME_MS) pendingFrames.shift();
        }
      }
    },
    finalize() {
      if (closed || failureReported) return;
      if (!ready) {
        // The pending audio is part of this turn.
        opening?.then(() => this.finalize()).catch(() => {});
        return;
      }
      const process = segment?.process ?? null;
      segment = null;
      gate.reset();
      emitFinal(process, turn++, true);
    },
    async close() {
      if (closed) return;
      closed = true;
      pendingFrames = [];
      segment = null;
      spare = null;
      await Promise.all([...alive].map((process) => process.kill()));
      alive.clear();
      log.debug(
        { provider: PROVIDER, dropped_ms: droppedBytes / BYTES_PER_MS, dropped_segments: droppedSegments },
        'transcriber closed',
      );
    },
  };
}

function closedWhileOpening(): ProviderError {
  return new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened');
}

export const adapter: TranscriberAdapter<typeof localTranscriber> = ({ settings, transcriber, ...call }) =>
  createPocketsphinx({
    ...call,
    bin: settings.POCKETSPHINX_BIN,
    modelsDir: settings.POCKETSPHINX_MODELS,
    languageModelsDir: settings.LANGUAGE_MODELS_DIR,
    model: transcriber.model,
  });
