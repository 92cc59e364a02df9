import type { Agent } from '../generated/api.ts';

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

/** The pinned agents before the others; else their order stays. */
export const pinnedFirst = <Each extends Pick<Agent, 'id'>>(
  agents: readonly Each[],
  pinned: ReadonlySet<string>,
): Each[] => agents.toSorted((a, b) => Number(pinned.has(b.id)) - Number(pinned.has(a.id)));
