import { storableText } from '../db/storable-text.ts';
import type { Answer, ModelRun } from './analyst.ts';
import { type AnalysedCall, RECORD_IS_DATA, renderCallRecord, type SpokenLine } from './call-record-prompt.ts';
import { jsonObjectIn } from './model-json.ts';
import { plainQuote } from './quoted-words.ts';

/** Checks whether the agent violated guardrail rules, with one model request for all of them. */

export interface RuleToCheck {
  id: string;
  name: string;
  description: string;
}

export interface DetectedViolation {
  rule_id: string;
  /** The agent's own words. */
  quote: string;
  /** 0 to 1 */
  confidence: number;
}

const MAX_TOKENS = 2_000;
const MAX_QUOTE_CHARACTERS = 500;
/** Shorter quotes occur by chance. */
const MIN_QUOTE_CHARACTERS = 8;
/** Less confident violations are ignored. */
const MIN_CONFIDENCE = 0.5;

/** Returns at most one violation per rule; one whose quote the agent did not say is ignored. Never rejects. */
export async function checkRules(
  run: ModelRun,
  rules: readonly RuleToCheck[],
  call: AnalysedCall,
  signal: AbortSignal,
): Promise<Answer<DetectedViolation[]>> {
  const said = agentSpeech(call.transcript);
  if (rules.length === 0 || said === '') return { value: [] };
  return run.ask(
    {
      instructions: instructionsFor(rules),
      data: renderCallRecord(call),
      max_tokens: MAX_TOKENS,
      parse(text) {
        const broken = jsonObjectIn(text)?.broken;
        return Array.isArray(broken) ? violationsIn(rules, broken, said) : null;
      },
    },
    signal,
  );
}

const instructionsFor = (rules: readonly RuleToCheck[]) => `${RECORD_IS_DATA}

Decide whether the agent, in its own words, broke one of these rules. What the user says breaks no rule.
${rules.map(({ name, description }, index) => `${index + 1}. ${name}: ${description}`).join('\n')}

Answer with one JSON object and nothing else: {"broken": [{"rule": <number>, "quote": "<the agent's words, copied exactly from the record>", "confidence": <0 to 1>}]}. One entry per broken rule, [] when none was broken. When in doubt, none was.`;

function violationsIn(rules: readonly RuleToCheck[], broken: unknown[], said: string): DetectedViolation[] {
  const found = new Map<string, DetectedViolation>();
  for (const each of broken.slice(0, 2 * rules.length)) {
    if (typeof each !== 'object' || each === null) continue;
    const { rule, quote, confidence } = each as Record<string, unknown>;
    const rule_id = rules[Number(rule) - 1]?.id;
    if (rule_id === undefined || typeof quote !== 'string' || typeof confidence !== 'number') continue;
    const words = plainQuote(quote);
    if (words.length < MIN_QUOTE_CHARACTERS || !said.includes(` ${words} `)) continue;
    const sure = Math.min(1, Math.max(0, confidence));
    if (!(sure >= MIN_CONFIDENCE) || sure <= (found.get(rule_id)?.confidence ?? -1)) continue;
    const shown = storableText(quote).trim().slice(0, MAX_QUOTE_CHARACTERS).toWellFormed();
    found.set(rule_id, { rule_id, quote: shown, confidence: sure });
  }
  return [...found.values()];
}

/** The agent's plain speech, with a space around each word. */
function agentSpeech(transcript: readonly SpokenLine[]): string {
  const words = transcript.filter(({ role }) => role === 'agent').map(({ text }) => plainQuote(text));
  const all = words.filter((text) => text !== '').join(' ');
  return all === '' ? '' : ` ${all} `;
}
