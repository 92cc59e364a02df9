import type { ProviderUsage, Usage } from '../../shared/usage.ts';

/**
 * Splits a call's usage by provider. The call counts its usage in one place; whenever a fallback takes over, what was counted
 * since the last change belongs to the provider before it.
 */
export interface UsageMeter {
  /** Another provider is in use from now on. */
  switchTo(component: ProviderUsage['component'], to: ProviderModel): void;
  /** Usage of every provider so far, without those that used nothing. */
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

export function createUsageMeter(usage: Usage, first: Record<ProviderUsage['component'], ProviderModel>): UsageMeter {
  const closed: ProviderUsage[] = [];
  const active = { ...first };
  const since: Counts = { ...usage };

  function activePart(component: ProviderUsage['component']): ProviderUsage[] {
    const part: ProviderUsage = { component, provider: active[component].provider, model: active[component].model };
    let any = false;
    for (const count of COUNTS_OF_COMPONENT[component]) {
      const amount = usage[count] - since[count];
      part[count] = Math.round(amount * 100) / 100;
      any ||= amount > 0;
    }
    return any ? [part] : [];
  }

  return {
    switchTo(component, to) {
      closed.push(...activePart(component));
      for (const count of COUNTS_OF_COMPONENT[component]) since[count] = usage[count];
      active[component] = to;
    },
    parts: () => [...closed, ...(Object.keys(COUNTS_OF_COMPONENT) as ProviderUsage['component'][]).flatMap(activePart)],
  };
}
