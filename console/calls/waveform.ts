import type { Peaks } from './read-peaks.ts';

/**
 * The waveform of a recording. Drawn here and not by a library: those that were looked at put style elements into the page, which its
 * policy forbids.
 */

/** Seconds that are divided do not meet the windows exactly. */
const ROUNDING = 1e-6;

/** Returns the loudest of each of the slices of a part of one voice, 0 to 1. */
export function slicesOf(
  { voices, windowSeconds }: Pick<Peaks, 'voices' | 'windowSeconds'>,
  voice: number,
  fromSeconds: number,
  untilSeconds: number,
  slices: number,
): Float32Array {
  const peaks = voices[voice]!;
  const result = new Float32Array(slices);
  const perSlice = (untilSeconds - fromSeconds) / slices / windowSeconds;
  const first = fromSeconds / windowSeconds;
  for (let slice = 0; slice < slices; slice++) {
    const from = Math.max(0, Math.floor(first + slice * perSlice + ROUNDING));
    const until = Math.min(peaks.length, Math.max(from + 1, Math.floor(first + (slice + 1) * perSlice + ROUNDING)));
    let loudest = 0;
    for (let at = from; at < until; at++) loudest = Math.max(loudest, peaks[at]!);
    result[slice] = loudest;
  }
  return result;
}

/** Below it a line is drawn for silence, so that it can be seen where the recording is. */
const LEAST_HEIGHT_PX = 1;
const BAR_PX = 3;
const GAP_PX = 1;

/** How many bars fit into the width. */
export const slicesIn = (widthPx: number): number => Math.max(1, Math.floor(widthPx / BAR_PX));

/** Draws each voice in a lane of its own, the first above. Speech is quiet beside its loudest moment, so heights are of the root. */
export function drawWaveform(
  canvas: HTMLCanvasElement,
  lanes: readonly Float32Array[],
  colours: readonly string[],
): void {
  const scale = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const lanePx = height / lanes.length;
  lanes.forEach((voice, lane) => {
    context.fillStyle = colours[lane % colours.length]!;
    const middle = (lane + 0.5) * lanePx;
    voice.forEach((peak, slice) => {
      const bar = Math.max(LEAST_HEIGHT_PX, Math.sqrt(peak) * lanePx * 0.9);
      context.fillRect(slice * BAR_PX, middle - bar / 2, BAR_PX - GAP_PX, bar);
    });
  });
}
