import type { ModelRun } from '../analysis/analyst.ts';
import { type JudgedConversation, judge } from './judge.ts';

/** How often a judge agrees with itself: the same conversations judged several times. */

export interface JudgedCase {
  name: string;
  criteria: readonly string[];
  conversation: JudgedConversation;
}

export interface Agreement {
  /** Criteria that were judged at least twice. */
  criteria: number;
  /** The verdicts of which were all the same. */
  unanimous: number;
  /** Share of all pairs of verdicts on one criterion that are the same, 0 to 1; null without a pair. */
  pairwise: number | null;
  /** Why judgements gave no verdicts, one reason each. */
  failed: string[];
  /** Criteria with both verdicts. */
  divided: { name: string; criterion: string; passed: number; of: number }[];
}

/** Verdicts on one criterion. */
interface Votes {
  name: string;
  criterion: string;
  passed: number;
  of: number;
}

/** Judges every case so many times, one after the other; `open` gives each judgement a run of its own. */
export async function measureAgreement(
  cases: readonly JudgedCase[],
  times: number,
  open: () => ModelRun,
  signal: AbortSignal,
): Promise<Agreement> {
  const votes: Votes[] = [];
  const failed: string[] = [];
  for (const { name, criteria, conversation } of cases) {
    const own = criteria.map((criterion): Votes => ({ name, criterion, passed: 0, of: 0 }));
    votes.push(...own);
    for (let time = 0; time < times; time++) {
      const judgement = await judge(open(), criteria, conversation, signal);
      if ('failed' in judgement) {
        failed.push(judgement.failed);
        continue;
      }
      for (const [index, { passed }] of judgement.verdicts.entries()) {
        own[index]!.of++;
        if (passed) own[index]!.passed++;
      }
    }
  }
  return agreementOf(votes, failed);
}

export function agreementOf(votes: readonly Votes[], failed: string[] = []): Agreement {
  const judged = votes.filter(({ of }) => of >= 2);
  const pairs = (count: number) => (count * (count - 1)) / 2;
  const all = judged.reduce((sum, { of }) => sum + pairs(of), 0);
  const same = judged.reduce((sum, { passed, of }) => sum + pairs(passed) + pairs(of - passed), 0);
  const divided = judged.filter(({ passed, of }) => passed > 0 && passed < of);
  return {
    criteria: judged.length,
    unanimous: judged.length - divided.length,
    pairwise: all === 0 ? null : same / all,
    failed,
    divided,
  };
}
