import type { Usage } from '../../shared/usage.ts';
import type { DenoisedFrameListener, DenoiseStream } from '../audio/denoise-thread.ts';
import { type AudioFormat, FRAME_MS, PCM_8K } from '../audio/format.ts';
import { createNarrowbandConverter } from '../audio/narrowband.ts';
import { readSamples } from '../audio/samples.ts';
import { frameBytes, silenceByte } from '../audio/silence.ts';
import type { Transcriber } from '../stt/transcriber.ts';
import type { TurnDetectorStream } from '../turn/turn-detector.ts';
import type { VadStream } from '../turn/vad.ts';
import type { LineToneDetector } from './line-tones.ts';
import type { RecordingMixer } from './recording-mixer.ts';

/**
 * The caller's sound on its way from the line to those who listen: recorded as it came, without the tones of keys, and
 * cleaned where the agent wants that.
 */
export interface CallerAudio {
  /** How those who listen are given it. */
  readonly format: AudioFormat;
  /** From now on these listen. */
  connect(ears: CallerAudioSinks): void;
  /** The next 20 ms as the line gives them; `atMs`: when the last sample came in. The bytes are not kept. */
  push(frame: Uint8Array, atMs: number): void;
  /** Nobody is given anything any more. */
  close(): void;
}

export interface CallerAudioSinks {
  transcriber: Pick<Transcriber, 'audio'>;
  vad: VadStream;
  turnDetector: TurnDetectorStream | null;
  tones: LineToneDetector | null;
}

export interface CallerAudioOptions {
  lineFormat: AudioFormat;
  recording: Pick<RecordingMixer, 'addCaller'> | null;
  /** Null where no noise is cancelled. */
  openDenoiser(listener: DenoisedFrameListener): DenoiseStream | null;
  usage: Usage;
}

export function createCallerAudio({
  lineFormat: line,
  recording,
  openDenoiser,
  usage,
}: CallerAudioOptions): CallerAudio {
  const samples = new Int16Array((line.sample_rate * FRAME_MS) / 1_000);
  const silence = new Uint8Array(frameBytes(line)).fill(silenceByte(line.encoding));
  /** Telephone sound of whatever the line gives: for the recording, and for what knows nothing else. */
  const narrowed = createNarrowbandConverter(line.sample_rate);
  // What is cleaned comes later than it went in, and its end is an earlier moment.
  const denoiser = openDenoiser((clean, endMs) =>
    give(clean, clean, new Uint8Array(clean.buffer, clean.byteOffset, clean.byteLength), endMs),
  );
  let ears: CallerAudioSinks | null = null;
  let closed = false;

  function give(heard: Int16Array, narrow: Int16Array, bytes: Uint8Array, endMs: number): void {
    if (closed || !ears) return;
    ears.vad.push(heard, endMs);
    ears.turnDetector?.push(narrow, endMs);
    ears.transcriber.audio(bytes);
    usage.stt_seconds += FRAME_MS / 1_000;
  }

  return {
    format: denoiser ? PCM_8K : line,
    connect(to) {
      ears = to;
    },
    push(frame, atMs) {
      if (closed) return;
      readSamples(frame, line.encoding, samples);
      const narrow = narrowed(samples);
      recording?.addCaller(narrow, atMs);
      let bytes = frame;
      if (ears?.tones?.push(narrow)) {
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
      ears?.turnDetector?.close();
      denoiser?.close();
    },
  };
}
