import type { Agent } from './api-records.ts';

/** Those whose name or number has every word, in any order; accents and case do not matter. */
export function searchAgents<Each extends Pick<Agent, 'name' | 'phone_number'>>(
  agents: readonly Each[],
  words: string,
): Each[] {
  const queryWords = foldAccents(words).split(/\s+/).filter(Boolean);
  return agents.filter(({ name, phone_number }) => {
    const text = foldAccents(`${name} ${phone_number}`);
    return queryWords.every((word) => text.includes(word));
  });
}

const foldAccents = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
