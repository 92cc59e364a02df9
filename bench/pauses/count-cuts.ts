import type { Machine } from '../machine.ts';
import type { Played, Setting } from './play-recording.ts';
import type { Stall } from './received-audio.ts';

/** The results of `make pauses`. */

export interface Counted {
  /** Recordings whose turn was ended before their end. */
  cuts: number;
  of: number;
  /** From the true end of speech to the end of the turn, of the others; null where all were cut. */
  delay_ms: { p50: number | null; p90: number | null };
  cut_recordings: string[];
}

export interface SettingResult extends Counted {
  transcriber: Setting['transcriber'];
  turn_detection: Setting['turnDetection'];
  endpointing_ms: number;
}

export interface StallResult extends SettingResult {
  place: Stall['place'];
  stall_ms: number;
  cut_without: number;
  /** Recordings that are cut only with the stall. */
  more: string[];
}

export interface PausesResult {
  machine: Machine;
  recordings: { name: string; pauses_ms: number[] }[];
  settings: SettingResult[];
  stalls: StallResult[];
}

export function resultOf({ transcriber, turnDetection, endpointingMs }: Setting, counted: Counted): SettingResult {
  return { transcriber, turn_detection: turnDetection, endpointing_ms: endpointingMs, ...counted };
}

export function count(played: readonly (Pick<Played, 'cut' | 'delayMs'> & { name: string })[]): Counted {
  const delays = played.flatMap(({ delayMs }) => delayMs ?? []).toSorted((a, b) => a - b);
  const percentile = (share: number) => {
    const value = delays[Math.ceil(share * delays.length) - 1];
    return value === undefined ? null : Math.round(value);
  };
  const cut = played.filter((each) => each.cut).map(({ name }) => name);
  return {
    cuts: cut.length,
    of: played.length,
    delay_ms: { p50: percentile(0.5), p90: percentile(0.9) },
    cut_recordings: cut,
  };
}
