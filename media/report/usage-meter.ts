import type { ProviderUsage, Usage } from '../../shared/usage.ts';

/**
 * Who served how much of a call. The call counts its usage in one place; whenever another provider takes over, what was
 * counted since the last change was the one's before.
 */
export interface UsageMeter {
  /** Another one serves from now on; the part of the one before is closed. */
  switchTo(component: ProviderUsage['component'], to: ProviderModel): void;
  /** All parts, the open ones included; those of nothing are left out. */
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
  const serving = { ...first };
  const from: Counts = { ...usage };

  function close(component: ProviderUsage['component']): ProviderUsage | null {
    const part: ProviderUsage = { component, provider: serving[component].provider, model: serving[component].model };
    let any = false;
    for (const count of COUNTS_OF_COMPONENT[component]) {
      const amount = usage[count] - from[count];
      part[count] = Math.round(amount * 100) / 100;
      any ||= amount > 0;
    }
    return any ? part : null;
  }

  return {
    switchTo(component, to) {
      const part = close(component);
      if (part) closed.push(part);
      for (const count of COUNTS_OF_COMPONENT[component]) from[count] = usage[count];
      serving[component] = to;
    },
    parts: () => [
      ...closed,
      ...(Object.keys(COUNTS_OF_COMPONENT) as ProviderUsage['component'][]).flatMap(
        (component) => close(component) ?? [],
      ),
    ],
  };
}
