import type { CatalogEntry } from '../generated/api.ts';

export type ProviderName = CatalogEntry['provider'];

/** How the providers spell themselves. */
export const PROVIDER_NAMES: Record<ProviderName, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  azure: 'Azure OpenAI',
  groq: 'Groq',
  mistral: 'Mistral',
  custom: 'Custom',
  elevenlabs: 'ElevenLabs',
  cartesia: 'Cartesia',
  sarvam: 'Sarvam',
  deepgram_flux: 'Deepgram Flux',
  deepgram: 'Deepgram Nova',
  soniox: 'Soniox',
  deepgram_aura: 'Deepgram Aura',
  assemblyai: 'AssemblyAI',
  azure_speech: 'Azure Speech',
  local: 'This machine',
};

export const providerName = (provider: string): string =>
  Object.hasOwn(PROVIDER_NAMES, provider) ? PROVIDER_NAMES[provider as ProviderName] : provider;

/** Transcribers that find the end of a turn themselves, so that they need no silence to be set. */
export const FINDS_TURNS: ReadonlySet<string> = new Set(['deepgram_flux']);
