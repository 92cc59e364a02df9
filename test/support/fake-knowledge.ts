import { createKnowledge, type Knowledge, type SearchKnowledge } from '../../media/reply/knowledge.ts';
import type { KnowledgePassage } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What the agent on the stage knows. */
export interface FakeKnowledgeOptions {
  /** Stands in its prompt. */
  inline?: string;
  /** How each search goes, the last manner for all further ones; left out: nothing is searched. */
  searches?: readonly SearchBehaviour[];
}

export interface SearchBehaviour {
  /** Until the answer; 20 ms. */
  after?: number;
  /** Texts that are found, best first. */
  finds?: readonly string[];
  /** Control says why it cannot. */
  error?: string;
  /** Nobody is there. */
  fails?: boolean;
}

export function createFakeKnowledge(clock: VirtualClock, engineClock: Clock, options: FakeKnowledgeOptions = {}) {
  const searched: { query: string; limit: number; atMs: number }[] = [];
  const { inline = '', searches } = options;

  const search: SearchKnowledge = async ({ query, limit }) => {
    const behaviour = searches![Math.min(searched.length, searches!.length - 1)]!;
    searched.push({ query, limit, atMs: clock.now() });
    const { after = 20, finds = [], error = '', fails = false } = behaviour;
    await new Promise<void>((resolve) => clock.after(after, resolve));
    if (fails) throw new Error('no responders');
    const passages: KnowledgePassage[] = finds.slice(0, limit).map((text, index) => {
      return { source: `Source ${index + 1}`, text, score: 0.9 - index / 10, keyword_match: true };
    });
    return { error, passages, hits: finds.length, embed_ms: 0, search_ms: 2.5 };
  };

  const knowledge: Knowledge = createKnowledge({
    inline,
    search: searches ? search : null,
    deadlineMs: 400,
    clock: engineClock,
  });
  return { knowledge, searched };
}
