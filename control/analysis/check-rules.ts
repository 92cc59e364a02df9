import type { Answer, ModelRun } from './analyst.ts';
import { type CallToRead, callAsData, DATA_NOT_ORDERS, type SpokenLine } from './call-as-data.ts';
import { objectIn, storableText } from './json-answer.ts';

/** Did the agent break one of the service's rules? One request for all of them. */

export interface RuleToCheck {
  id: string;
  name: string;
  description: string;
}

export interface BrokenRule {
  rule_id: string;
  /** The agent's own words. */
  quote: string;
  /** 0 to 1 */
  confidence: number;
}

const MAX_TOKENS = 2_000;
const LONGEST_QUOTE = 500;
/** A word that any sentence holds proves nothing. */
const SHORTEST_QUOTE = 8;
/** Below this the model itself does not believe it. */
const LEAST_CONFIDENCE = 0.5;

/** At most one finding per rule; a quote that the agent did not say is no finding. Never rejects. */
export async function checkRules(
  run: ModelRun,
  rules: readonly RuleToCheck[],
  call: CallToRead,
  signal: AbortSignal,
): Promise<Answer<BrokenRule[]>> {
  const said = agentsWords(call.transcript);
  if (rules.length === 0 || said === '') return { value: [] };
  return run.ask(
    {
      instructions: instructionsFor(rules),
      data: callAsData(call),
      max_tokens: MAX_TOKENS,
      read(text) {
        const broken = objectIn(text)?.broken;
        return Array.isArray(broken) ? findingsOf(rules, broken, said) : null;
      },
    },
    signal,
  );
}

const instructionsFor = (rules: readonly RuleToCheck[]) => `${DATA_NOT_ORDERS}

Decide whether the agent, in its own words, broke one of these rules. What the user says breaks no rule.
${rules.map(({ name, description }, index) => `${index + 1}. ${name}: ${description}`).join('\n')}

Answer with one JSON object and nothing else: {"broken": [{"rule": <number>, "quote": "<the agent's words, copied exactly from the record>", "confidence": <0 to 1>}]}. One entry per broken rule, [] when none was broken. When in doubt, none was.`;

function findingsOf(rules: readonly RuleToCheck[], broken: unknown[], said: string): BrokenRule[] {
  const found = new Map<string, BrokenRule>();
  for (const each of broken.slice(0, 2 * rules.length)) {
    if (typeof each !== 'object' || each === null) continue;
    const { rule, quote, confidence } = each as Record<string, unknown>;
    const rule_id = rules[Number(rule) - 1]?.id;
    if (rule_id === undefined || typeof quote !== 'string' || typeof confidence !== 'number') continue;
    const words = plain(quote);
    if (words.length < SHORTEST_QUOTE || !said.includes(` ${words} `)) continue;
    const sure = Math.min(1, Math.max(0, confidence));
    if (!(sure >= LEAST_CONFIDENCE) || sure <= (found.get(rule_id)?.confidence ?? -1)) continue;
    const shown = storableText(quote).trim().slice(0, LONGEST_QUOTE).toWellFormed();
    found.set(rule_id, { rule_id, quote: shown, confidence: sure });
  }
  return [...found.values()];
}

/** Everything the agent said, with single spaces around and between the words. */
function agentsWords(transcript: readonly SpokenLine[]): string {
  const words = transcript.filter(({ role }) => role === 'agent').map(({ text }) => plain(text));
  const all = words.filter((text) => text !== '').join(' ');
  return all === '' ? '' : ` ${all} `;
}

/** Letters, their marks and digits; models change quotes and commas while they copy. */
const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
