/** What a carrier's streams are asked for: telephone audio, or wideband where the account's lines have it. */
export type SampleRate = 8000 | 16000;

/** Reads `<CARRIER>_SAMPLE_RATE`. @throws Error for anything but 8000 and 16000. */
export function readSampleRate(name: string, setting: string): SampleRate {
  const rate = Number(setting);
  if (rate !== 8000 && rate !== 16000) throw new Error(`${name} is ${setting}: set 8000 or 16000`);
  return rate;
}
