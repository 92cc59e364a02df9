/**
 * The provider names of the API. The first of each list is the default. `local` runs on the operator's own
 * machine and needs no account: pocketsphinx as transcriber, espeak-ng as voice.
 */
export const LLM_PROVIDERS = ['openai', 'anthropic', 'google', 'azure', 'groq', 'mistral', 'custom'] as const;
export const VOICE_PROVIDERS = ['elevenlabs', 'cartesia', 'sarvam', 'local'] as const;
export const TRANSCRIBER_PROVIDERS = ['deepgram_flux', 'deepgram', 'sarvam', 'local'] as const;

export type LlmProvider = (typeof LLM_PROVIDERS)[number];
export type VoiceProvider = (typeof VOICE_PROVIDERS)[number];
export type TranscriberProvider = (typeof TRANSCRIBER_PROVIDERS)[number];

/** The model used when the agent names none. */
export const DEFAULT_LLM_MODEL: Record<LlmProvider, string> = {
  openai: 'gpt-4.1-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-flash',
  azure: 'gpt-4.1-mini',
  groq: 'llama-3.3-70b-versatile',
  mistral: 'mistral-small-latest',
  custom: 'default',
};

export const DEFAULT_VOICE_MODEL: Record<VoiceProvider, string> = {
  elevenlabs: 'eleven_flash_v2_5',
  cartesia: 'sonic-3.5',
  sarvam: 'bulbul:v3',
  local: 'espeak-ng',
};

export const DEFAULT_TRANSCRIBER_MODEL: Record<TranscriberProvider, string> = {
  deepgram_flux: 'flux-general-multi',
  deepgram: 'nova-3',
  sarvam: 'saaras:v3-realtime',
  local: 'en-us',
};

/** The account a provider's streams are counted on; empty for what runs on this machine. Deepgram counts both its kinds together. */
export function accountOf(component: 'stt' | 'tts', provider: string): string {
  if (provider === 'local') return '';
  if (provider === 'deepgram_flux') return 'deepgram';
  return provider === 'sarvam' ? `sarvam-${component}` : provider;
}
