import type { Usage } from '../../shared/usage.ts';
import type { CleanListener, DenoiseStream } from '../audio/denoise-thread.ts';
import { type AudioFormat, FRAME_MS, PCM_8K } from '../audio/format.ts';
import { createNarrowing } from '../audio/narrowing.ts';
import { readSamples } from '../audio/samples.ts';
import { frameBytes, silenceByte } from '../audio/silence.ts';
import type { Transcriber } from '../stt/transcriber.ts';
import type { TurnEar } from '../turn/turn-model.ts';
import type { VadStream } from '../turn/vad.ts';
import type { LineTones } from './line-tones.ts';
import type { Tape } from './tape.ts';

/**
 * The caller's sound on its way from the line to those who listen: recorded as it came, without the tones of keys, and
 * cleaned where the agent wants that.
 */
export interface CallerSound {
  /** How those who listen are given it. */
  readonly format: AudioFormat;
  /** From now on these listen. */
  lead(ears: Ears): void;
  /** The next 20 ms as the line gives them; `atMs`: when the last sample came in. The bytes are not kept. */
  hear(frame: Uint8Array, atMs: number): void;
  /** Nobody is given anything any more. */
  close(): void;
}

export interface Ears {
  transcriber: Pick<Transcriber, 'audio'>;
  vad: VadStream;
  turnEar: TurnEar | null;
  tones: LineTones | null;
}

export interface CallerSoundOptions {
  line: AudioFormat;
  recording: Pick<Tape, 'caller'> | null;
  /** Null where no noise is cancelled. */
  openDenoiser(listener: CleanListener): DenoiseStream | null;
  usage: Usage;
}

export function createCallerSound({ line, recording, openDenoiser, usage }: CallerSoundOptions): CallerSound {
  const samples = new Int16Array((line.sample_rate * FRAME_MS) / 1_000);
  const silence = new Uint8Array(frameBytes(line)).fill(silenceByte(line.encoding));
  /** Telephone sound of whatever the line gives: for the recording, and for what knows nothing else. */
  const narrowed = createNarrowing(line.sample_rate);
  // What is cleaned comes later than it went in, and its end is an earlier moment.
  const denoiser = openDenoiser((clean, endMs) =>
    give(clean, clean, new Uint8Array(clean.buffer, clean.byteOffset, clean.byteLength), endMs),
  );
  let ears: Ears | null = null;
  let closed = false;

  function give(heard: Int16Array, narrow: Int16Array, bytes: Uint8Array, endMs: number): void {
    if (closed || !ears) return;
    ears.vad.push(heard, endMs);
    ears.turnEar?.push(narrow, endMs);
    ears.transcriber.audio(bytes);
    usage.stt_seconds += FRAME_MS / 1_000;
  }

  return {
    format: denoiser ? PCM_8K : line,
    lead(to) {
      ears = to;
    },
    hear(frame, atMs) {
      if (closed) return;
      readSamples(frame, line.encoding, samples);
      const narrow = narrowed(samples);
      recording?.caller(narrow, atMs);
      let bytes = frame;
      if (ears?.tones?.hear(narrow)) {
        // A key's tone is no speech; to those who listen for it the line is silent.
        samples.fill(0);
        narrow.fill(0);
        bytes = silence;
      }
      if (denoiser) denoiser.push(narrow, atMs);
      else give(samples, narrow, bytes, atMs);
    },
    close() {
      closed = true;
      ears?.vad.close();
      ears?.turnEar?.close();
      denoiser?.close();
    },
  };
}
