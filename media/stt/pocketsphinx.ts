import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { localTranscriber } from '../../shared/providers/local-speech.ts';
import { PCM_16K } from '../audio/format.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { createAudioGate, GATE_FRAME_MS } from './audio-gate.ts';
import { type PocketsphinxProcess, startPocketsphinx } from './pocketsphinx-process.ts';
import type { Transcriber, TranscriberAdapter, TranscriberListener } from './transcriber.ts';

/**
 * The `local` transcriber: CMU Pocketsphinx (Debian: `pocketsphinx` and `pocketsphinx-en-us`), for a machine without
 * accounts. It writes words only when asked (`finalize`); there are no `partial` events, for the program tells none.
 *
 * - One process per turn, a spare one always loaded: the end of its input is the only thing that makes the program
 *   answer at once, and its answer is complete when it ends. Its own voice detection is off; it was found to lose the
 *   beginnings of sentences after a stretch of line noise. A gate by loudness stands before it instead.
 * - Every `finalize` is answered by exactly one `final`, '' when nothing was understood, within `FINAL_DEADLINE_MS`.
 *   `turn` counts these answers. A turn of more than `MAX_SEGMENT_MS` gives further `final`s before.
 * - Sound that no `finalize` follows was not the caller's speech by our voice activity: it is thrown away after
 *   `FORGET_MS` of stillness.
 */

const PROVIDER = 'local';
const OPEN_DEADLINE_MS = 5_000;
const FINAL_DEADLINE_MS = 3_000;
const FORGET_MS = 3_000;
const MAX_SEGMENT_MS = 30_000;
const FRAME_SAMPLES = (PCM_16K.sample_rate * GATE_FRAME_MS) / 1000;
const BYTES_PER_MS = (PCM_16K.sample_rate * 2) / 1000;
const KEPT_MS = 2_000;

/**
 * A telephone carries nothing above 4 kHz, where the acoustic model expects the hiss of s, t and f. Mirroring the
 * lower half of the spectrum upwards, fainter, gives it something like it. Measured over the recordings in
 * `fixtures/speech` through µ-law with the `booking` model: 67 % of words wrong without, 3 % with (0.2: 8 %, 0.6: 5 %).
 */
const MIRROR = 0.4;
/** Makes room for the mirrored half, so that loud speech is not clipped. */
const MIRROR_HEADROOM = 1 / (1 + MIRROR);

export interface PocketsphinxOptions {
  /** The program, by name or path: `pocketsphinx_continuous`. */
  bin: string;
  /** Debian's models: `/usr/share/pocketsphinx/model`. */
  modelsDir: string;
  /** Small language models: `<model>.lm` and `<model>.dict`. */
  languageModelsDir: string;
  /** `en-us`, Debian's general model, or the name of a small one. Small ones understand far better what they know. */
  model: string;
  /** What the sound went through: `telephone` (default) is empty above 4 kHz, `wide` is not. */
  bandwidth?: 'telephone' | 'wide';
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}

/** Where the files of a model lie. Throws ProviderError when the name or a file is not good. */
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
  let told = false;
  const alive = new Set<PocketsphinxProcess>();
  let spare: PocketsphinxProcess | null = null;
  let segment: Segment | null = null;
  /** Sound from before the program was ready. */
  let kept: Int16Array[] = [];
  let turn = 0;
  /** Answers are told in the order in which they were asked for. */
  let answers: Promise<void> = Promise.resolve();
  let droppedBytes = 0;
  let forgotten = 0;

  function fail(kind: ProviderFailure, message: string): void {
    if (closed || told) return;
    told = true;
    segment = null;
    spare = null;
    for (const process of alive) void process.kill();
    listener({ type: 'failed', error: new ProviderError(PROVIDER, kind, message) });
  }

  function start(): PocketsphinxProcess {
    const process = startPocketsphinx({
      bin: options.bin,
      args,
      maxWaitingBytes: KEPT_MS * BYTES_PER_MS,
      clock,
      onDeath(reason) {
        alive.delete(process);
        if (ready) fail('unavailable', `the transcriber's process ${reason}`);
      },
    });
    alive.add(process);
    return process;
  }

  /** Runs the program over a moment of silence: the only proof that it and its models work. */
  async function connect(): Promise<void> {
    const files = modelFiles(options);
    // feat.params of the acoustic model sets the rest.
    args = ['-infile', '/dev/stdin', '-logfn', '/dev/null', '-hmm', files.hmm, '-lm', files.lm, '-dict', files.dict];
    args.push('-remove_silence', 'no', '-remove_noise', 'no');
    const trial = start();
    try {
      await trial.started;
      trial.write(new Uint8Array(100 * BYTES_PER_MS));
      await trial.finish(OPEN_DEADLINE_MS);
    } catch (error) {
      if (closed) throw closedWhileOpening();
      // What a shell says of a program that is not there or may not be run.
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
    for (const samples of kept) onFrame(samples);
    kept = [];
  }

  function onFrame(samples: Int16Array): void {
    gate.process(samples, pass);
    if (segment && gate.quietFrames * GATE_FRAME_MS >= FORGET_MS) {
      forgotten++;
      const { process } = segment;
      segment = null;
      void process.kill().finally(() => alive.delete(process));
    }
  }

  function pass(samples: Int16Array): void {
    if (told || closed) return;
    if (!segment) {
      segment = { process: spare ?? start(), ms: 0 };
      spare = start();
    }
    segment.process.write(prepare(samples));
    segment.ms += GATE_FRAME_MS;
    if (segment.ms >= MAX_SEGMENT_MS) {
      const { process } = segment;
      segment = null;
      answer(process, turn, false);
    }
  }

  function prepare(samples: Int16Array): Uint8Array {
    if (options.bandwidth !== 'wide') {
      // Turning every other sample's sign mirrors the spectrum; a frame has an even number of samples.
      for (let at = 0; at < samples.length; at++) {
        samples[at] = samples[at]! * (at & 1 ? 1 - MIRROR : 1 + MIRROR) * MIRROR_HEADROOM;
      }
    }
    return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  }

  /** Tells the words of a process that has had its sound. `always`: even when there are none. */
  function answer(process: PocketsphinxProcess | null, ofTurn: number, always: boolean): void {
    const words = process ? understood(process) : Promise.resolve('');
    answers = answers.then(async () => {
      const text = await words;
      if (closed || told || (text === '' && !always)) return;
      listener({ type: 'final', turn: ofTurn, text });
    });
  }

  async function understood(process: PocketsphinxProcess): Promise<string> {
    try {
      return await process.finish(FINAL_DEADLINE_MS);
    } catch (error) {
      if (!closed && !told) {
        const reason = errorText(error);
        // Slow once is a lost sentence; the caller can say it again. A process that dies will die again.
        if (reason.startsWith('did not answer')) log.warn({ provider: PROVIDER, reason }, 'transcriber too slow');
        else fail('unavailable', `the transcriber's process ${reason}`);
      }
      return '';
    } finally {
      if (process.droppedBytes > 0) {
        droppedBytes += process.droppedBytes;
        log.warn({ provider: PROVIDER, dropped_ms: process.droppedBytes / BYTES_PER_MS }, 'transcriber lost sound');
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
      if (closed || told) return;
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
          kept.push(frame.slice());
          if (kept.length > KEPT_MS / GATE_FRAME_MS) kept.shift();
        }
      }
    },
    finalize() {
      if (closed || told) return;
      if (!ready) {
        // The sound kept while opening is its turn.
        opening?.then(() => this.finalize()).catch(() => {});
        return;
      }
      const process = segment?.process ?? null;
      segment = null;
      gate.reset();
      answer(process, turn++, true);
    },
    async close() {
      if (closed) return;
      closed = true;
      kept = [];
      segment = null;
      spare = null;
      await Promise.all([...alive].map((process) => process.kill()));
      alive.clear();
      log.debug({ provider: PROVIDER, dropped_ms: droppedBytes / BYTES_PER_MS, forgotten }, 'transcriber closed');
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
