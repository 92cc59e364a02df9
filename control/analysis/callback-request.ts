import { storableText } from '../db/storable-text.ts';
import type { Answer, ModelRun } from './analyst.ts';
import { type AnalysedCall, RECORD_IS_DATA, renderCallRecord } from './call-record-prompt.ts';
import { jsonObjectIn } from './model-json.ts';

/** Finds out whether the user asked to be called back, and when; for calls in which the agent booked nothing. */

export interface CallbackRequest {
  /** A local time as the model wrote it; empty when none was given. */
  when: string;
  note: string;
}

const MAX_TOKENS = 300;
const MAX_TIME_CHARACTERS = 40;
const MAX_NOTE_CHARACTERS = 300;

const INSTRUCTIONS = `${RECORD_IS_DATA}

Find out one thing: did the user ask to be called back, or agree to it, at a later time? A call back by a person or another business does not count, nor does a time that was discussed and given up.

Answer with one JSON object and nothing else, with exactly these fields:
- "asked": true or false.
- "when": the day and time as YYYY-MM-DDTHH:MM, local time as in the record's first line; "" when no time can be told from the words. "Tomorrow at five" counts from the moment of the call; "in an hour" too. For a part of a day take: morning 10:00, noon 12:00, afternoon 15:00, evening 18:00.
- "note": what the call back is for, one short English sentence.`;

/** Null when no callback was requested. Never rejects. */
export async function findCallbackRequest(
  run: ModelRun,
  call: AnalysedCall,
  signal: AbortSignal,
): Promise<Answer<CallbackRequest | null>> {
  if (!call.transcript.some(({ role }) => role === 'user')) return { value: null };
  const answer = await run.ask(
    {
      instructions: INSTRUCTIONS,
      data: renderCallRecord(call),
      max_tokens: MAX_TOKENS,
      parse(text) {
        const { asked, when, note } = jsonObjectIn(text) ?? {};
        if (typeof asked !== 'boolean') return null;
        const callback = { when: shortText(when, MAX_TIME_CHARACTERS), note: shortText(note, MAX_NOTE_CHARACTERS) };
        return { callback: asked ? callback : null };
      },
    },
    signal,
  );
  return 'value' in answer ? { value: answer.value.callback } : answer;
}

const shortText = (value: unknown, longest: number) =>
  typeof value === 'string' ? storableText(value).trim().slice(0, longest).toWellFormed() : '';
