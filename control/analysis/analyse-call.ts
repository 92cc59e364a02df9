import type { AgentConfig } from '../../shared/agent.ts';
import { storableText } from '../db/storable-text.ts';
import type { Answer, ModelRun } from './analyst.ts';
import { type AnalysedCall, RECORD_IS_DATA, renderCallRecord } from './call-record-prompt.ts';
import { jsonObjectIn, storableValue } from './model-json.ts';
import { type Extraction, parseExtraction } from './read-extraction.ts';

/** The post-call analytics: a summary, the declared extractions, and the customer's own prompt. */

export type Analytics = AgentConfig['analytics'];

export interface CallAnalysis {
  /** Null when it was not asked for or failed. */
  summary: string | null;
  /** One entry per declared key and those of the customer's own prompt; null when neither was asked for. */
  extracted: Record<string, unknown> | null;
  /** Why a part failed; null when none did. */
  failed: string | null;
}

const MAX_TOKENS = 4_096;
const MAX_SUMMARY_CHARACTERS = 4_000;
const MAX_CUSTOM_ANSWER_CHARACTERS = 20_000;
const MAX_CUSTOM_KEYS = 100;

export const hasAnalytics = ({ summarize, extractions, extraction_prompt }: Analytics) =>
  summarize || extractions.length > 0 || extraction_prompt.trim() !== '';

/** Null for every declared key. */
export function emptyExtraction({ extractions }: Analytics): Record<string, null> {
  return Object.fromEntries(extractions.map(({ key }) => [key, null]));
}

/** Runs one or two model requests in parallel; none for a call without speech. Never rejects. */
export async function analyseCall(
  run: ModelRun,
  analytics: Analytics,
  call: AnalysedCall,
  signal: AbortSignal,
): Promise<CallAnalysis> {
  const { summarize, extractions, extraction_prompt } = analytics;
  const declares = summarize || extractions.length > 0;
  const asksOwn = extraction_prompt.trim() !== '';
  const nothing: Answer<Declared> = { value: {} };
  const silent = call.transcript.length === 0;
  const data = renderCallRecord(call);
  const [declared, own] = await Promise.all([
    declares && !silent ? askDeclared(run, analytics, data, signal) : nothing,
    asksOwn && !silent ? askCustom(run, analytics, data, signal) : nothing,
  ]);
  const failed = 'failed' in declared ? declared.failed : 'failed' in own ? own.failed : null;
  const read = 'value' in declared ? declared.value : {};
  const extracted: Record<string, unknown> = {
    ...('value' in own ? own.value : {}),
    ...emptyExtraction(analytics),
    ...read.extracted,
  };
  return {
    summary: summarize && !('failed' in declared) ? (read.summary ?? '') : null,
    extracted: extractions.length > 0 || asksOwn ? extracted : null,
    failed,
  };
}

interface Declared {
  summary?: string;
  extracted?: Record<string, unknown>;
}

function askDeclared(
  run: ModelRun,
  { summarize, extractions }: Analytics,
  data: string,
  signal: AbortSignal,
): Promise<Answer<Declared>> {
  const fields = [
    ...(summarize
      ? [
          '- "summary": two to four plain English sentences for the business: what the user wanted, what came of it, what is left to do.',
        ]
      : []),
    ...(extractions.length > 0
      ? [
          `- "extracted": an object with exactly these keys; null for what the record does not tell. Never guess.\n${extractions.map(describeExtraction).join('\n')}`,
        ]
      : []),
  ];
  const instructions = `${RECORD_IS_DATA}\n\nAnswer with one JSON object and nothing else, with exactly these fields:\n${fields.join('\n')}`;
  return run.ask(
    {
      instructions,
      data,
      max_tokens: MAX_TOKENS,
      parse(text) {
        const answer = jsonObjectIn(text);
        if (!answer) return null;
        const { summary, extracted } = answer;
        if (summarize && typeof summary !== 'string') return null;
        if (extractions.length > 0 && (typeof extracted !== 'object' || extracted === null)) return null;
        return {
          ...(typeof summary === 'string'
            ? { summary: storableText(summary).trim().slice(0, MAX_SUMMARY_CHARACTERS).toWellFormed() }
            : {}),
          extracted: parseDeclared(extractions, (extracted ?? {}) as Record<string, unknown>),
        };
      },
    },
    signal,
  );
}

function parseDeclared(extractions: readonly Extraction[], given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    extractions.map((each) => [
      each.key,
      Object.hasOwn(given, each.key) ? parseExtraction(each, given[each.key]) : null,
    ]),
  );
}

const ANSWER_FORMATS: Record<Extraction['type'], string> = {
  text: 'a string',
  number: 'a number, digits only',
  boolean: 'true or false',
  choice: 'one of the choices below, as it is written',
  date: 'a string YYYY-MM-DD, or YYYY-MM-DDTHH:MM when the time of day was said; "tomorrow" counts from the day of the call',
  list: 'an array of strings, [] when there are none',
};

function describeExtraction({ key, label, type, description, choices }: Extraction): string {
  const words = [label, description].filter((text) => text.trim() !== '').join(': ');
  const options =
    type === 'choice'
      ? choices.map(({ value, when }) => `\n    - ${JSON.stringify(value)}${when.trim() === '' ? '' : `: ${when}`}`)
      : [];
  return `  - ${JSON.stringify(key)}, ${ANSWER_FORMATS[type]}${words === '' ? '' : `. ${words}`}${options.join('')}`;
}

/** Asks the customer's own prompt; its keys are added to the declared ones and never replace them. */
function askCustom(
  run: ModelRun,
  { extractions, extraction_prompt }: Analytics,
  data: string,
  signal: AbortSignal,
): Promise<Answer<Record<string, unknown>>> {
  const declared = new Set(extractions.map(({ key }) => key));
  const instructions = `${RECORD_IS_DATA}\n\nThe business asks for this about the call:\n${extraction_prompt.trim()}\n\nAnswer with one JSON object and nothing else. Use null for what the record does not tell.`;
  return run.ask(
    {
      instructions,
      data,
      max_tokens: MAX_TOKENS,
      parse(text) {
        const answer = jsonObjectIn(text);
        if (!answer || JSON.stringify(answer).length > MAX_CUSTOM_ANSWER_CHARACTERS) return null;
        const own = Object.entries(answer).filter(([key]) => !declared.has(key));
        return storableValue(Object.fromEntries(own.slice(0, MAX_CUSTOM_KEYS))) as Record<string, unknown>;
      },
    },
    signal,
  );
}
