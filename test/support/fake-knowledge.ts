import type { KnowledgePassage } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { createKnowledge, type Knowledge, type SearchKnowledge } from '../../shared/reply/knowledge.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The agent's knowledge in the harness. */
export interface FakeKnowledgeOptions {
  /** Knowledge in the prompt. */
  inline?: string;
  /** Behaviour of each search, the last one for all further ones; default: no search. */
  searches?: readonly SearchBehaviour[];
}

export interface SearchBehaviour {
  /** Delay of the reply; default 20 ms. */
  after?: number;
  /** Texts of the hits, best first. */
  finds?: readonly string[];
  /** Control replies with this error. */
  error?: string;
  /** No responder. */
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
