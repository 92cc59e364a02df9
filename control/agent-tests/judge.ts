import type { ModelRun } from '../analysis/analyst.ts';
import { RECORD_IS_DATA, renderCallRecord, type SpokenLine } from '../analysis/call-record-prompt.ts';
import { jsonObjectIn } from '../analysis/model-json.ts';
import { isQuoteOf } from '../analysis/quoted-words.ts';
import { storableText } from '../db/storable-text.ts';
import type { TestItem } from './test-transcript.ts';

/** Decides the criteria of a test, with the words that decide each. */

export interface Verdict {
  text: string;
  passed: boolean;
  reason: string;
  /** Words of the transcript; empty where nothing that was said can show it. */
  quote: string;
}

export interface JudgedConversation {
  transcript: readonly TestItem[];
  /** How it ended: of a test one of `ENDINGS`, of a call its `hangup_reason`. */
  ending: string;
  /** A call with a real caller, not a test. */
  recorded?: boolean;
  started_at_ms: number;
  timezone: string;
}

export type Judgement = { verdicts: Verdict[]; calls: number } | { failed: string; calls: number };

const MAX_TOKENS = 3_000;
const MAX_REASON_CHARACTERS = 500;
const MAX_QUOTE_CHARACTERS = 500;

/** A criterion whose quote was not said is judged once more; quoted wrongly again, it has failed. Never rejects. */
export async function judge(
  run: ModelRun,
  criteria: readonly string[],
  conversation: JudgedConversation,
  signal: AbortSignal,
): Promise<Judgement> {
  const lines = conversation.transcript.map(lineOf);
  const texts = lines.map(({ text }) => text);
  const isHonest = ({ quote }: Verdict) => quote === '' || isQuoteOf(quote, texts);

  const first = await ask(run, criteria, lines, conversation, signal);
  if ('failed' in first) return { ...first, calls: 1 };
  const wrong = first.value.filter((verdict) => !isHonest(verdict)).map(({ text }) => text);
  if (wrong.length === 0) return { verdicts: first.value, calls: 1 };
  const second = await ask(run, wrong, lines, conversation, signal);
  if ('failed' in second) return { ...second, calls: 2 };
  const again = [...second.value];
  const verdicts = first.value.map((verdict) =>
    isHonest(verdict) ? verdict : withoutInvention(again.shift()!, isHonest),
  );
  return { verdicts, calls: 2 };
}

function withoutInvention(verdict: Verdict, isHonest: (verdict: Verdict) => boolean): Verdict {
  if (isHonest(verdict)) return verdict;
  const reason = `The judge quoted words that were not said: ${verdict.reason}`.slice(0, MAX_REASON_CHARACTERS);
  return { ...verdict, passed: false, reason, quote: '' };
}

function ask(
  run: ModelRun,
  criteria: readonly string[],
  lines: readonly SpokenLine[],
  { ending, started_at_ms, timezone, recorded = false }: JudgedConversation,
  signal: AbortSignal,
) {
  return run.ask(
    {
      instructions: instructionsFor(criteria, recorded),
      data: `${renderCallRecord({ transcript: lines, started_at_ms, timezone })}\n\nHow the call ended: ${ending}.`,
      max_tokens: MAX_TOKENS,
      parse: (text) => verdictsIn(criteria, jsonObjectIn(text)?.verdicts),
    },
    signal,
  );
}

const instructionsFor = (criteria: readonly string[], recorded: boolean) => `${RECORD_IS_DATA}
Lines of "tool" are what the agent's tools were called with, and what they answered; the user does not hear them.

${recorded ? '' : 'The call was a test of the agent. '}Decide for each criterion whether it is met by what was said and done in the record, taken strictly: what is not in the record did not happen.
${criteria.map((text, index) => `${index + 1}. ${JSON.stringify(text)}`).join('\n')}

Answer with one JSON object and nothing else: {"verdicts": [{"criterion": <number>, "reason": "<one sentence>", "quote": "<words copied exactly from the record that decide it>", "passed": <true or false>}]}, one entry per criterion. Leave "quote" empty only where no words can show it, as when something was never said.`;

/** Null unless every criterion is decided. */
function verdictsIn(criteria: readonly string[], given: unknown): Verdict[] | null {
  if (!Array.isArray(given)) return null;
  const byNumber = new Map<number, Record<string, unknown>>();
  for (const each of given) {
    if (typeof each === 'object' && each !== null) byNumber.set(Number(each.criterion), each);
  }
  const verdicts = criteria.flatMap((text, index): Verdict[] => {
    const { passed, reason, quote } = byNumber.get(index + 1) ?? {};
    if (typeof passed !== 'boolean') return [];
    return [
      { text, passed, reason: shortText(reason, MAX_REASON_CHARACTERS), quote: shortText(quote, MAX_QUOTE_CHARACTERS) },
    ];
  });
  return verdicts.length === criteria.length ? verdicts : null;
}

function lineOf(item: TestItem): SpokenLine {
  if (item.role !== 'tool') return { role: item.role, text: item.text };
  return { role: 'tool', text: `${item.name} ${JSON.stringify(item.args)}: ${item.result}` };
}

const shortText = (value: unknown, longest: number) =>
  typeof value === 'string' ? storableText(value).trim().slice(0, longest).toWellFormed() : '';
