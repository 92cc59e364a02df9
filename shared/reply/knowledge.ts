import type { SearchKnowledgeReply, SearchKnowledgeRequest } from '../bus/messages.ts';
import type { Clock, Timer } from '../clock.ts';
import type { EventLevel } from '../events.ts';
import { queryTerms } from '../knowledge-terms.ts';
import { type TurnWords, turnWords } from '../languages/turn-words.ts';
import type { HistoryLine } from '../llm/prompt.ts';
import { errorText } from '../log.ts';
import { plainWords } from '../words.ts';

/** The agent's knowledge for its replies: whole in the prompt, or looked up turn by turn. */
export interface Knowledge {
  /** Part of every prompt; empty when knowledge is looked up, or when there is none. */
  readonly inline: string;
  /**
   * Looks up what the caller said last, at the end of `history`. Calls `done` once, later and within the deadline, unless it
   * is cancelled. Returns null when there is nothing to look up.
   */
  lookUp(history: readonly HistoryLine[], done: (findings: Findings) => void): LookUp | null;
}

export interface LookUp {
  /** `done` will not be called. */
  cancel(): void;
}

export interface Findings {
  /** Best first; empty when the search was late or failed. */
  passages: readonly { source: string; text: string }[];
  /** The timeline event `kb.search`. */
  event: { message: string; level: EventLevel; latency_ms: number; data: Record<string, unknown> };
}

/** Requests a search from control. Rejects when there is no reply within `withinMs`. */
export type SearchKnowledge = (
  request: Omit<SearchKnowledgeRequest, 'call_id'>,
  withinMs: number,
) => Promise<SearchKnowledgeReply>;

export interface KnowledgeOptions {
  inline: string;
  /** Null when nothing is looked up. */
  search: SearchKnowledge | null;
  deadlineMs: number;
  clock: Clock;
  /** Language of the agent's voice; left out: of an agent that names none. */
  language?: string;
}

const PASSAGES = 4;
/** Control's limit. */
const MAX_QUERY_CHARACTERS = 1_000;
/** A question with fewer terms refers to the one before and is searched together with it. */
const MIN_QUERY_TERMS = 3;

export function createKnowledge({ inline, search, deadlineMs, clock, language }: KnowledgeOptions): Knowledge {
  const words = turnWords(language);
  return {
    inline,
    lookUp(history, done) {
      const query = search ? queryOf(history, words) : '';
      if (!search || query === '') return null;
      const startMs = clock.now();
      let over = false;
      let timer: Timer | null = null;

      function finish(reply: SearchKnowledgeReply | null, error: string): void {
        if (over) return;
        over = true;
        timer?.cancel();
        done(findings(query, reply, error, Math.round(clock.now() - startMs)));
      }

      timer = clock.after(deadlineMs, () => finish(null, `no answer within ${deadlineMs} ms`));
      search({ query, limit: PASSAGES, within_ms: deadlineMs }, deadlineMs).then(
        (reply) => finish(reply.error === '' ? reply : null, reply.error),
        (error) => finish(null, errorText(error)),
      );
      return {
        cancel() {
          over = true;
          timer?.cancel();
        },
      };
    },
  };
}

/**
 * Returns what to search for: the caller's last turn, together with the one before when it alone is not specific ("and on
 * Sunday?"). Empty when it asks nothing: a greeting, a yes, pressed keys.
 */
export function queryOf(history: readonly HistoryLine[], known: TurnWords = turnWords()): string {
  const turns = history.filter((line) => line.role === 'user');
  const last = turns.at(-1)?.text.trim() ?? '';
  const words = plainWords(last);
  const asksNothing = words.every((word) => known.lists.courtesies.has(word)) || known.isBackchannel(words);
  if (asksNothing || /^\[pressed [^\]]*\]$/.test(last)) return '';
  const before = queryTerms(last).length < MIN_QUERY_TERMS ? (turns.at(-2)?.text.trim() ?? '') : '';
  const query = `${before} ${last}`.trim().slice(-MAX_QUERY_CHARACTERS);
  return queryTerms(query).length === 0 ? '' : query;
}

function findings(query: string, reply: SearchKnowledgeReply | null, error: string, tookMs: number): Findings {
  const passages = reply?.passages ?? [];
  const failed = reply === null;
  return {
    passages: passages.map(({ source, text }) => ({ source, text })),
    event: {
      message: failed ? 'the knowledge bases could not be searched' : 'knowledge bases searched',
      level: failed ? 'warning' : 'info',
      latency_ms: tookMs,
      data: {
        query,
        hits: reply?.hits ?? 0,
        embed_ms: reply?.embed_ms ?? 0,
        search_ms: reply?.search_ms ?? 0,
        passages: passages.length,
        top: passages.map(({ source, score, keyword_match }) => ({ source, score, keyword_match })),
        error,
      },
    },
  };
}
