import type { AudioFormat } from '../audio/format.ts';

/** The encodings that a provider can output, each with its sample rates in hertz. */
export type SupportedFormats = Partial<Record<AudioFormat['encoding'], readonly number[]>> & {
  pcm16: readonly number[];
};

/**
 * Returns the call's own format where the provider supports it, so that nothing is transcoded; else PCM at the provider's
 * lowest rate that is not below the call's, or at its highest.
 */
export function chooseOutputFormat(call: AudioFormat, supported: SupportedFormats): AudioFormat {
  if (supported[call.encoding]?.includes(call.sample_rate)) return call;
  const rates = supported.pcm16.toSorted((a, b) => a - b);
  return { encoding: 'pcm16', sample_rate: rates.find((rate) => rate >= call.sample_rate) ?? rates.at(-1)! };
}
