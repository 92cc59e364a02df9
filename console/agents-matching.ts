import type { Agent } from './api-records.ts';

/** Those whose name or number has every word, in any order; accents and case do not matter. */
export function agentsMatching<Each extends Pick<Agent, 'name' | 'phone_number'>>(
  agents: readonly Each[],
  words: string,
): Each[] {
  const wanted = folded(words).split(/\s+/).filter(Boolean);
  return agents.filter(({ name, phone_number }) => {
    const text = folded(`${name} ${phone_number}`);
    return wanted.every((word) => text.includes(word));
  });
}

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
