import { baseCode } from '../../shared/languages/registry.ts';
import type {
  LanguageModelManifest,
  ModelFacts,
  PerModel,
  RealtimeManifest,
  SpeedRange,
  SynthesizerManifest,
  TranscriberManifest,
} from '../../shared/providers/manifest.ts';
import { REALTIME_MODELS, realtimeManifest } from '../../shared/providers/realtime.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';
import { MICRO, type Rates, rateOf } from '../billing/rates.ts';
import type { AvailableProviders } from './available-providers.ts';

export type Component = 'transcriber' | 'llm' | 'voice';

export interface CatalogEntry {
  id: string;
  provider: string;
  name: string;
  kind: 'llm' | 'tts' | 'stt';
  default: boolean;
  available: boolean;
  /** ISO 639 codes; empty: all. */
  languages: string[];
  unit: 'minute' | '1k_characters' | '1m_input_tokens';
  price_paise: number;
  output_price_paise: number | null;
  latency_ms: number | null;
  description: string;
  /** It hears and speaks itself; its prices are of audio. */
  realtime: boolean;
}

export interface ModelLatency {
  component: Component;
  provider: string;
  model: string;
  latency_ms: number;
}

export interface CatalogFacts {
  /** In force for the workspace, in its currency. */
  rates: Rates;
  available: AvailableProviders;
  latencies: readonly ModelLatency[];
}

/** What `voice.speed` of an agent can be. */
const AGENT_SPEED: SpeedRange = { min: 0.6, max: 1.5 };

const KINDS = { llm: 'llm', voice: 'tts', transcriber: 'stt' } as const;
const UNITS = { llm: '1m_input_tokens', voice: '1k_characters', transcriber: 'minute' } as const;

/** The models of one component in the order of the registry, each provider's default first. */
export function catalogEntries(component: Component, facts: CatalogFacts): CatalogEntry[] {
  return manifestsOf(component).flatMap((manifest) => {
    const models = isRealtime(manifest)
      ? Object.keys(manifest.models)
      : modelsOf(component, manifest.name, facts.rates);
    const inOrder = [manifest.defaultModel, ...models.filter((model) => model !== manifest.defaultModel)];
    return inOrder.map((model) => entryOf(component, manifest, model, facts));
  });
}

type Manifest = LanguageModelManifest | RealtimeManifest | SynthesizerManifest | TranscriberManifest;

const isRealtime = (manifest: Manifest): manifest is RealtimeManifest => 'voices' in manifest;

function manifestsOf(component: Component): readonly Manifest[] {
  return { llm: [...LANGUAGE_MODELS, ...REALTIME_MODELS], voice: SYNTHESIZERS, transcriber: TRANSCRIBERS }[component];
}

/** The models that agents can name: those of the manifest, and those that the operator set a price for. */
export function modelsOf(component: Component, provider: string, rates: Rates): string[] {
  const manifest = manifestsOf(component).find(({ name }) => name === provider);
  const tables: Record<string, PerModel<unknown>> = rates[component];
  const priced = Object.keys(tables[provider] ?? {}).filter((model) => model !== '*');
  return [...new Set([...Object.keys(manifest?.models ?? {}), ...priced])];
}

/** Whether agents can name this model of the provider. */
export function isKnownModel(component: Component, provider: string, model: string, rates: Rates): boolean {
  const manifest = manifestsOf(component).find(({ name }) => name === provider);
  if (manifest?.anyModel === true || modelsOf(component, provider, rates).includes(model)) return true;
  return component === 'llm' && realtimeManifest({ provider, model }) !== undefined;
}

/** The slowest and fastest `voice.speed` of an agent that the model speaks at. */
export function speedOf(provider: string, model: string): SpeedRange {
  const manifest: SynthesizerManifest | undefined = SYNTHESIZERS.find(({ name }) => name === provider);
  const own = factsOf(manifest, model)?.speed ?? manifest?.capabilities.speed ?? AGENT_SPEED;
  return { min: Math.max(own.min, AGENT_SPEED.min), max: Math.min(own.max, AGENT_SPEED.max) };
}

/** Whether `transcriber.keyterms` of an agent reach the model. */
export function takesKeyterms(provider: string, model: string): boolean {
  const manifest: TranscriberManifest | undefined = TRANSCRIBERS.find(({ name }) => name === provider);
  return factsOf(manifest, model)?.keyterms ?? manifest?.capabilities.keyterms ?? false;
}

/** Whether the voices of a provider take IPA in a language, a tag. */
export function takesIpa(provider: string, language: string): boolean {
  const manifest: SynthesizerManifest | undefined = SYNTHESIZERS.find(({ name }) => name === provider);
  const ipa = manifest?.capabilities.ipa ?? [];
  return ipa === 'all' || ipa.includes(baseCode(language));
}

/** ISO 639 codes; undefined: no limit that is known. */
export function languagesOfModel(component: Component, provider: string, model: string): readonly string[] | undefined {
  const own = manifestsOf(component).filter(({ name }) => name === provider);
  return own.map((manifest) => factsOf(manifest, model)).find((facts) => facts !== undefined)?.languages;
}

function factsOf(manifest: Manifest | undefined, model: string): ModelFacts | undefined {
  return manifest && Object.hasOwn(manifest.models, model) ? manifest.models[model] : undefined;
}

function entryOf(component: Component, manifest: Manifest, model: string, facts: CatalogFacts): CatalogEntry {
  const { rates, available, latencies } = facts;
  const { name: provider, label } = manifest;
  const known = factsOf(manifest, model);
  const realtime = isRealtime(manifest);
  const isDefault = !realtime && provider === available.defaults[component] && model === manifest.defaultModel;
  const latency = latencies.find(
    (each) => each.component === component && each.provider === provider && each.model === model,
  );
  return {
    id: model,
    provider,
    name: `${label} · ${model}`,
    kind: KINDS[component],
    default: isDefault,
    available: available[component].has(provider),
    languages: [...(known?.languages ?? [])],
    unit: UNITS[component],
    ...(realtime ? realtimePriceOf(provider, model, rates) : priceOf(component, provider, model, rates)),
    latency_ms: latency?.latency_ms ?? null,
    description: describe(component, provider, model, known?.description ?? ''),
    realtime,
  };
}

function priceOf(component: Component, provider: string, model: string, rates: Rates) {
  if (component === 'llm') {
    const { input, output } = rateOf(rates.llm[provider as keyof Rates['llm']], model);
    return { price_paise: input / MICRO, output_price_paise: output / MICRO };
  }
  const tables: Record<string, PerModel<number>> = rates[component];
  return { price_paise: rateOf(tables[provider]!, model) / MICRO, output_price_paise: null };
}

function realtimePriceOf(provider: string, model: string, rates: Rates) {
  const { audio_input, audio_output } = rateOf(rates.realtime[provider as keyof Rates['realtime']], model);
  return { price_paise: audio_input / MICRO, output_price_paise: audio_output / MICRO };
}

/** With the settings of an agent that the model takes in part or not at all. */
function describe(component: Component, provider: string, model: string, description: string): string {
  const limits: string[] = description === '' ? [] : [description];
  if (component === 'voice') {
    const { min, max } = speedOf(provider, model);
    limits.push(min === max ? 'speed cannot be changed' : `speed ${min} to ${max}`);
  }
  if (component === 'transcriber' && !takesKeyterms(provider, model)) limits.push('ignores keyterms');
  return limits.join('; ');
}
