import type { ServedPart, Usage } from '../../shared/usage.ts';

/**
 * Who served how much of a call. The call counts its usage in one place; whenever another provider takes over, what was
 * counted since the last change was the one's before.
 */
export interface Served {
  /** Another one serves from now on; the part of the one before is closed. */
  changed(component: ServedPart['component'], to: Server): void;
  /** All parts, the open ones included; those of nothing are left out. */
  parts(): ServedPart[];
}

export interface Server {
  provider: string;
  model: string;
}

type Counts = Pick<Usage, 'stt_seconds' | 'tts_characters' | 'llm_input_tokens' | 'llm_output_tokens'>;

const COUNTED: Record<ServedPart['component'], (keyof Counts)[]> = {
  transcriber: ['stt_seconds'],
  voice: ['tts_characters'],
  llm: ['llm_input_tokens', 'llm_output_tokens'],
};

export function createServed(usage: Usage, first: Record<ServedPart['component'], Server>): Served {
  const closed: ServedPart[] = [];
  const serving = { ...first };
  const from: Counts = { ...usage };

  function close(component: ServedPart['component']): ServedPart | null {
    const part: ServedPart = { component, provider: serving[component].provider, model: serving[component].model };
    let any = false;
    for (const count of COUNTED[component]) {
      const amount = usage[count] - from[count];
      part[count] = Math.round(amount * 100) / 100;
      any ||= amount > 0;
    }
    return any ? part : null;
  }

  return {
    changed(component, to) {
      const part = close(component);
      if (part) closed.push(part);
      for (const count of COUNTED[component]) from[count] = usage[count];
      serving[component] = to;
    },
    parts: () => [
      ...closed,
      ...(Object.keys(COUNTED) as ServedPart['component'][]).flatMap((component) => close(component) ?? []),
    ],
  };
}
