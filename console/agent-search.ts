import type { Agent } from './api-records.ts';

/** Returns the agents whose name or number contains every word, in any order, ignoring accents and case. */
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
