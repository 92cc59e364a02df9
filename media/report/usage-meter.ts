import type { ProviderUsage, Usage } from '../../shared/usage.ts';

/**
 * Splits a call's usage by provider. The call counts its usage in one place; whenever another provider is used, what was counted
 * since the last change belongs to the one before it.
 */
export interface UsageMeter {
  /** Another provider is in use from now on. */
  switchTo(component: ProviderUsage['component'], to: ProviderModel): void;
  /** Usage of every provider so far, in the order of their first use, without those that used nothing. */
  parts(): ProviderUsage[];
}

export interface ProviderModel {
  provider: string;
  model: string;
}

type Counts = Pick<Usage, 'stt_seconds' | 'tts_characters' | 'llm_input_tokens' | 'llm_output_tokens'>;

const COUNTS_OF_COMPONENT: Record<ProviderUsage['component'], (keyof Counts)[]> = {
  transcriber: ['stt_seconds'],
  voice: ['tts_characters'],
  llm: ['llm_input_tokens', 'llm_output_tokens'],
};
const COMPONENTS = Object.keys(COUNTS_OF_COMPONENT) as ProviderUsage['component'][];

export function createUsageMeter(usage: Usage, first: Record<ProviderUsage['component'], ProviderModel>): UsageMeter {
  const parts = new Map<string, ProviderUsage>();
  const active = { ...first };
  const counted: Counts = { ...usage };

  /** Adds what was counted since the last time to the provider in use. */
  function settle(component: ProviderUsage['component']): void {
    const { provider, model } = active[component];
    const key = `${component} ${provider}/${model}`;
    const part = parts.get(key) ?? { component, provider, model };
    let used = false;
    for (const count of COUNTS_OF_COMPONENT[component]) {
      part[count] = (part[count] ?? 0) + usage[count] - counted[count];
      used ||= part[count] > 0;
      counted[count] = usage[count];
    }
    if (used) parts.set(key, part);
  }

  return {
    switchTo(component, to) {
      settle(component);
      active[component] = to;
    },
    parts() {
      for (const component of COMPONENTS) settle(component);
      return [...parts.values()].map(rounded);
    },
  };
}

function rounded(part: ProviderUsage): ProviderUsage {
  const counts = COUNTS_OF_COMPONENT[part.component].map((count) => [count, Math.round(part[count]! * 100) / 100]);
  return { ...part, ...Object.fromEntries(counts) };
}
