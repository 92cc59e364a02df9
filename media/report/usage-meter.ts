import { realtimeManifest } from '../../shared/providers/realtime.ts';
import { type ProviderUsage, REALTIME_TOKENS, type RealtimeTokens, type Usage } from '../../shared/usage.ts';

/**
 * Splits a call's usage by provider. The call counts its usage in one place; whenever another provider is used, what was counted
 * since the last change belongs to the one before it.
 */
export interface UsageMeter {
  /** Another provider is in use from now on. */
  switchTo(component: Metered, to: ProviderModel): void;
  /** Seconds that a transcriber of its own transcribed, besides the caller's. */
  addTranscribed(by: ProviderModel, seconds: number): void;
  /** A speech-to-speech model had a model of its own transcribe so much of the caller, whose seconds the call counts itself. */
  addRealtimeTranscription(by: ProviderModel, seconds: number): void;
  /** A speech-to-speech model used these. */
  addRealtime(by: ProviderModel, tokens: RealtimeTokens): void;
  /** Usage of every provider so far, in the order of their first use, without those that used nothing. */
  parts(): ProviderUsage[];
}

export interface ProviderModel {
  provider: string;
  model: string;
}

type Counts = Pick<Usage, 'stt_seconds' | 'tts_characters' | 'llm_input_tokens' | 'llm_output_tokens'>;

/** What the call counts in its usage. */
type Metered = Exclude<ProviderUsage['component'], 'realtime'>;

const COUNTS_OF_COMPONENT: Record<Metered, (keyof Counts)[]> = {
  transcriber: ['stt_seconds'],
  voice: ['tts_characters'],
  llm: ['llm_input_tokens', 'llm_output_tokens'],
};
const COMPONENTS = Object.keys(COUNTS_OF_COMPONENT) as Metered[];

export function createUsageMeter(usage: Usage, first: Record<Metered, ProviderModel>): UsageMeter {
  const parts = new Map<string, ProviderUsage>();
  const active = { ...first };
  const counted: Counts = { ...usage };

  /** Adds what was counted since the last time to the provider in use. */
  function settle(component: Metered): void {
    const { provider, model } = active[component];
    // What such a model hears and says is counted in its own tokens.
    const isRealtime = component !== 'llm' && realtimeManifest({ provider, model }) !== undefined;
    const key = `${component} ${provider}/${model}`;
    const part = parts.get(key) ?? { component, provider, model };
    let used = false;
    for (const count of COUNTS_OF_COMPONENT[component]) {
      part[count] = (part[count] ?? 0) + usage[count] - counted[count];
      used ||= part[count] > 0;
      counted[count] = usage[count];
    }
    if (used && !isRealtime) parts.set(key, part);
  }

  function addSeconds({ provider, model }: ProviderModel, seconds: number): void {
    const key = `transcriber ${provider}/${model}`;
    const part = parts.get(key) ?? { component: 'transcriber', provider, model };
    part.stt_seconds = (part.stt_seconds ?? 0) + seconds;
    parts.set(key, part);
  }

  return {
    addRealtimeTranscription: addSeconds,
    switchTo(component, to) {
      settle(component);
      active[component] = to;
    },
    addTranscribed(by, seconds) {
      addSeconds(by, seconds);
      usage.stt_seconds += seconds;
      // It is no part of what the transcriber in use has done.
      counted.stt_seconds += seconds;
    },
    addRealtime({ provider, model }, tokens) {
      const key = `realtime ${provider}/${model}`;
      const part = parts.get(key) ?? { component: 'realtime', provider, model };
      for (const count of REALTIME_TOKENS) part[count] = (part[count] ?? 0) + tokens[count];
      parts.set(key, part);
    },
    parts() {
      for (const component of COMPONENTS) settle(component);
      return [...parts.values()].map(rounded);
    },
  };
}

function rounded(part: ProviderUsage): ProviderUsage {
  if (part.component === 'realtime') return part;
  const counts = COUNTS_OF_COMPONENT[part.component].map((count) => [count, Math.round(part[count]! * 100) / 100]);
  return { ...part, ...Object.fromEntries(counts) };
}
