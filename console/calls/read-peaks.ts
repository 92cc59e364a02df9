/**
 * How loud a recording is, moment by moment, read from the file itself piece by piece: decoding an hour at once would take half a
 * gigabyte, and the page would stand still. The API's recordings are WAV files of 16-bit samples.
 */

export interface Peaks {
  /** The loudest sample of each window, 0 to 1; a list for each voice. */
  voices: Float32Array[];
  windowSeconds: number;
  seconds: number;
}

const WINDOW_SECONDS = 0.01;
const HEADER_BYTES = 4_096;
/** Read at a time: some milliseconds of work. */
const PIECE_SECONDS = 60;
const FULL_SCALE = 32_768;

interface WavFormat {
  channels: number;
  rateHz: number;
  dataStart: number;
}

/** @throws when the file is not a WAV file of 16-bit samples. */
export async function readPeaks(file: Blob): Promise<Peaks> {
  const { channels, rateHz, dataStart } = formatOf(new DataView(await file.slice(0, HEADER_BYTES).arrayBuffer()));
  const frameBytes = 2 * channels;
  const frames = Math.floor((file.size - dataStart) / frameBytes);
  const perWindow = Math.round(rateHz * WINDOW_SECONDS);
  const voices = Array.from({ length: channels }, () => new Float32Array(Math.ceil(frames / perWindow)));
  const perPiece = PIECE_SECONDS * rateHz;
  for (let from = 0; from < frames; from += perPiece) {
    const until = Math.min(frames, from + perPiece);
    const bytes = await file.slice(dataStart + from * frameBytes, dataStart + until * frameBytes).arrayBuffer();
    addPiece(new Int16Array(bytes), from, perWindow, voices);
  }
  return { voices, windowSeconds: perWindow / rateHz, seconds: frames / rateHz };
}

function addPiece(samples: Int16Array, firstFrame: number, perWindow: number, voices: Float32Array[]): void {
  const channels = voices.length;
  for (const [channel, peaks] of voices.entries()) {
    for (let at = channel, frame = firstFrame; at < samples.length; at += channels, frame++) {
      const loudness = Math.abs(samples[at]!) / FULL_SCALE;
      const window = Math.floor(frame / perWindow);
      if (loudness > peaks[window]!) peaks[window] = loudness;
    }
  }
}

const nameAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));

function formatOf(view: DataView): WavFormat {
  if (view.byteLength < 44 || nameAt(view, 0) !== 'RIFF' || nameAt(view, 8) !== 'WAVE')
    throw new Error('not a WAV file');
  let format: Pick<WavFormat, 'channels' | 'rateHz'> | null = null;
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const name = nameAt(view, at);
    const bytes = view.getUint32(at + 4, true);
    if (name === 'fmt ') {
      if (view.getUint16(at + 22, true) !== 16) throw new Error('not 16-bit samples');
      format = { channels: view.getUint16(at + 10, true), rateHz: view.getUint32(at + 12, true) };
    }
    if (name === 'data' && format) return { ...format, dataStart: at + 8 };
    at += 8 + bytes + (bytes % 2);
  }
  throw new Error('no samples in the file');
}

/** A time during which somebody speaks. */
export interface Stretch {
  fromSeconds: number;
  untilSeconds: number;
}

/** About -38 dBFS: above the noise of a telephone line, below quiet speech. */
const SPEECH_PEAK = 0.0125;
/** A pause within a sentence is no end. */
const PAUSE_SECONDS = 0.4;
/** Shorter is a click. */
const LEAST_SECONDS = 0.12;

/** When a voice speaks, from how loud it is. */
export function stretchesOf(peaks: Float32Array, windowSeconds: number): Stretch[] {
  const found: Stretch[] = [];
  for (let window = 0; window < peaks.length; window++) {
    if (peaks[window]! < SPEECH_PEAK) continue;
    const seconds = window * windowSeconds;
    const last = found.at(-1);
    if (last && seconds - last.untilSeconds <= PAUSE_SECONDS) last.untilSeconds = seconds + windowSeconds;
    else found.push({ fromSeconds: seconds, untilSeconds: seconds + windowSeconds });
  }
  return found.filter(({ fromSeconds, untilSeconds }) => untilSeconds - fromSeconds >= LEAST_SECONDS);
}
