import type { Usage } from '../../shared/usage.ts';
import type { DenoisedFrameListener, DenoiseStream } from '../audio/denoise-thread.ts';
import { type AudioFormat, FRAME_MS, frameBytes, silenceByte } from '../audio/format.ts';
import { createNarrowbandConverter, type RateConverter } from '../audio/resample.ts';
import { readSamples } from '../audio/samples.ts';
import type { Transcriber } from '../stt/transcriber.ts';
import type { TurnDetectorStream } from '../turn/turn-detector.ts';
import type { VadStream } from '../turn/vad.ts';
import type { LineToneDetector } from './line-tones.ts';
import type { RecordingMixer } from './recording-mixer.ts';

/**
 * Routes the caller's audio from the leg to its consumers: recorded as it came, then without the tones of keys, and denoised
 * where the agent asks for it.
 */
export interface CallerAudio {
  /** Format of the audio given to the sinks. */
  readonly format: AudioFormat;
  /** Sends the audio to these sinks from now on. */
  connect(sinks: CallerAudioSinks): void;
  /** Takes the leg's next 20 ms; `atMs`: when the last sample came in. The bytes are not kept. */
  push(frame: Uint8Array, atMs: number): void;
  /** Sends silence from now on; the caller's audio is recorded only. */
  setMuted(muted: boolean): void;
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
  /** Null where noise cancellation is off. */
  openDenoiser(rateHz: number, listener: DenoisedFrameListener): DenoiseStream | null;
  usage: Usage;
}

export function createCallerAudio({ lineFormat, recording, openDenoiser, usage }: CallerAudioOptions): CallerAudio {
  const samples = new Int16Array((lineFormat.sample_rate * FRAME_MS) / 1_000);
  const silentFrame = new Uint8Array(frameBytes(lineFormat)).fill(silenceByte(lineFormat.encoding));
  /** Tone detectors and turn detector take 8 kHz only; null where there is none, as in most calls at 16 kHz. */
  let toNarrowband: RateConverter | null = null;
  let cleanToNarrowband: RateConverter | null = null;
  const denoiser = openDenoiser(lineFormat.sample_rate, (clean, endMs) =>
    send(
      clean,
      cleanToNarrowband?.(clean) ?? null,
      new Uint8Array(clean.buffer, clean.byteOffset, clean.byteLength),
      endMs,
    ),
  );
  let sinks: CallerAudioSinks | null = null;
  let closed = false;
  let muted = false;

  function send(frameSamples: Int16Array, narrowband: Int16Array | null, bytes: Uint8Array, endMs: number): void {
    if (closed || !sinks) return;
    sinks.vad.push(frameSamples, endMs);
    if (narrowband) sinks.turnDetector?.push(narrowband, endMs);
    sinks.transcriber.audio(bytes);
    usage.stt_seconds += FRAME_MS / 1_000;
  }

  return {
    format: denoiser ? { encoding: 'pcm16', sample_rate: lineFormat.sample_rate } : lineFormat,
    connect(to) {
      sinks = to;
      const converter = () => createNarrowbandConverter(lineFormat.sample_rate);
      if (to.tones || (to.turnDetector && !denoiser)) toNarrowband = converter();
      if (to.turnDetector && denoiser) cleanToNarrowband = converter();
    },
    push(frame, atMs) {
      if (closed) return;
      readSamples(frame, lineFormat.encoding, samples);
      recording?.addCaller(samples, atMs);
      const narrowband = toNarrowband?.(samples) ?? null;
      let bytes = frame;
      // A key's tone would be taken for speech.
      if (muted || (narrowband && sinks?.tones?.push(narrowband))) {
        samples.fill(0);
        narrowband?.fill(0);
        bytes = silentFrame;
      }
      if (denoiser) denoiser.push(samples, atMs);
      else send(samples, narrowband, bytes, atMs);
    },
    setMuted(given) {
      muted = given;
    },
    close() {
      closed = true;
      sinks?.vad.close();
      sinks?.turnDetector?.close();
      denoiser?.close();
    },
  };
}
