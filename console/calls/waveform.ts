/**
 * The waveform of a recording. Drawn here and not by a library: those that were looked at put style elements into the page, which its
 * policy forbids.
 */

/** The loudest sample of each slice, 0 to 1; one list for each voice, all as long as asked for. */
export function peaksOf(channels: readonly Float32Array[], slices: number): Float32Array[] {
  return channels.map((samples) => {
    const peaks = new Float32Array(slices);
    const perSlice = samples.length / slices;
    for (let slice = 0; slice < slices; slice++) {
      const end = Math.min(samples.length, Math.floor((slice + 1) * perSlice));
      let loudest = 0;
      for (let at = Math.floor(slice * perSlice); at < end; at++) loudest = Math.max(loudest, Math.abs(samples[at]!));
      peaks[slice] = Math.min(1, loudest);
    }
    return peaks;
  });
}

export interface WaveformColours {
  voices: readonly string[];
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
  peaks: readonly Float32Array[],
  colours: WaveformColours,
): void {
  const scale = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const lanePx = height / peaks.length;
  peaks.forEach((voice, lane) => {
    context.fillStyle = colours.voices[lane % colours.voices.length]!;
    const middle = (lane + 0.5) * lanePx;
    voice.forEach((peak, slice) => {
      const bar = Math.max(LEAST_HEIGHT_PX, Math.sqrt(peak) * lanePx * 0.9);
      context.fillRect(slice * BAR_PX, middle - bar / 2, BAR_PX - GAP_PX, bar);
    });
  });
}
