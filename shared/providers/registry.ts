import { anthropic } from './anthropic.ts';
import { assemblyAi } from './assemblyai.ts';
import { azureSynthesizer, azureTranscriber } from './azure-speech.ts';
import { cartesia } from './cartesia.ts';
import { deepgram, deepgramAura, deepgramFlux } from './deepgram.ts';
import { elevenLabs, elevenLabsTranscriber } from './elevenlabs.ts';
import { google } from './google.ts';
import { localSynthesizer, localTranscriber } from './local-speech.ts';
import type { LanguageModelManifest } from './manifest.ts';
import { azureOpenAi, customModel, groq, mistral, openAi, openAiSynthesizer, openAiTranscriber } from './openai.ts';
import { sarvamSynthesizer, sarvamTranscriber } from './sarvam.ts';
import { soniox } from './soniox.ts';

/** Every provider of the service. The first of each list is the API's default. */
export const LANGUAGE_MODELS = [openAi, anthropic, google, azureOpenAi, groq, mistral, customModel] as const;
export const SYNTHESIZERS = [
  elevenLabs,
  cartesia,
  sarvamSynthesizer,
  deepgramAura,
  azureSynthesizer,
  openAiSynthesizer,
  localSynthesizer,
] as const;
export const TRANSCRIBERS = [
  deepgramFlux,
  deepgram,
  sarvamTranscriber,
  soniox,
  elevenLabsTranscriber,
  assemblyAi,
  openAiTranscriber,
  azureTranscriber,
  localTranscriber,
] as const;

type NameOf<Manifests extends readonly { name: string }[]> = Manifests[number]['name'];
export type LlmProvider = NameOf<typeof LANGUAGE_MODELS>;
export type SynthesizerProvider = NameOf<typeof SYNTHESIZERS>;
export type TranscriberProvider = NameOf<typeof TRANSCRIBERS>;

/** Names, as the API takes them. */
export const LLM_PROVIDERS = LANGUAGE_MODELS.map(({ name }) => name);
export const SYNTHESIZER_PROVIDERS = SYNTHESIZERS.map(({ name }) => name);
export const TRANSCRIBER_PROVIDERS = TRANSCRIBERS.map(({ name }) => name);

/** The model used when the agent names none, by provider. */
export const DEFAULT_LLM_MODEL = byName(LANGUAGE_MODELS, ({ defaultModel }): string => defaultModel);
export const DEFAULT_SYNTHESIZER_MODEL = byName(SYNTHESIZERS, ({ defaultModel }): string => defaultModel);
export const DEFAULT_TRANSCRIBER_MODEL = byName(TRANSCRIBERS, ({ defaultModel }): string => defaultModel);

/** The manifest of that name; undefined when this version has none. */
export function languageModelManifest(name: string): LanguageModelManifest | undefined {
  return LANGUAGE_MODELS.find((manifest) => manifest.name === name);
}

/** Tokens of a request to that model and its answer at most. */
export function contextTokensOf(provider: LlmProvider, model: string): number {
  const { contextTokens } = languageModelManifest(provider)!;
  return contextTokens[model] ?? contextTokens['*'];
}

/** `value` of every manifest, by the manifest's name. */
export function byName<const Manifests extends readonly { name: string }[], Value>(
  manifests: Manifests,
  value: (manifest: Manifests[number]) => Value,
): Record<NameOf<Manifests>, Value> {
  return Object.fromEntries(manifests.map((manifest) => [manifest.name, value(manifest)])) as Record<
    NameOf<Manifests>,
    Value
  >;
}
