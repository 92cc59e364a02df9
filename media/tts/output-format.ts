import type { AudioFormat } from '../audio/format.ts';

/** What a provider can speak in: some encodings, each at some rates in hertz. */
export type SupportedFormats = Partial<Record<AudioFormat['encoding'], readonly number[]>> & {
  pcm16: readonly number[];
};

/**
 * The line's own format where the provider has it, so that nothing is transcoded. Else PCM at the lowest of its rates
 * that loses nothing of the line's, or at its highest.
 */
export function chooseOutputFormat(line: AudioFormat, offers: SupportedFormats): AudioFormat {
  if (offers[line.encoding]?.includes(line.sample_rate)) return line;
  const rates = offers.pcm16.toSorted((a, b) => a - b);
  return { encoding: 'pcm16', sample_rate: rates.find((rate) => rate >= line.sample_rate) ?? rates.at(-1)! };
}
