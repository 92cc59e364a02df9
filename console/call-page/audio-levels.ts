/** Measures the level of both tracks, from 0 to 1. */
export interface AudioLevels {
  /** Sets the track of this side; null: silence. */
  listen(side: Side, track: MediaStreamTrack | null): void;
  read(side: Side): number;
  close(): void;
}

export type Side = 'user' | 'agent';

/** The range of speech levels, in dBFS. */
const QUIET_DB = -58;
const LOUD_DB = -16;

export function createAudioLevels(): AudioLevels {
  const context = new AudioContext();
  const sides = new Map<
    Side,
    { source: MediaStreamAudioSourceNode; analyser: AnalyserNode; samples: Float32Array<ArrayBuffer> }
  >();
  const drop = (side: Side) => {
    sides.get(side)?.source.disconnect();
    sides.delete(side);
  };
  return {
    listen(side, track) {
      drop(side);
      if (!track) return;
      const source = context.createMediaStreamSource(new MediaStream([track]));
      const analyser = context.createAnalyser();
      analyser.fftSize = 1024;
      source.connect(analyser);
      sides.set(side, { source, analyser, samples: new Float32Array(analyser.fftSize) });
      // An AudioContext starts suspended before a user gesture.
      if (context.state === 'suspended') void context.resume();
    },
    read(side) {
      const listening = sides.get(side);
      if (!listening) return 0;
      listening.analyser.getFloatTimeDomainData(listening.samples);
      return levelOf(listening.samples);
    },
    close() {
      for (const side of [...sides.keys()]) drop(side);
      void context.close();
    },
  };
}

/** Returns the root mean square of the samples on a decibel scale from 0 to 1. */
export function levelOf(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < samples.length; index++) sum += samples[index]! ** 2;
  const rms = Math.sqrt(sum / Math.max(1, samples.length));
  if (rms === 0) return 0;
  const db = 20 * Math.log10(rms);
  return Math.min(1, Math.max(0, (db - QUIET_DB) / (LOUD_DB - QUIET_DB)));
}
