import { isTimeZone } from '../time-zone.ts';
import type { TranscriptRole } from '../transcript.ts';
import { fillVariables } from '../variables.ts';
import { inlineKnowledge } from './knowledge-prompt.ts';
import type { ChatMessage, ToolCall, ToolDefinition } from './language-model.ts';

/** One line of the conversation so far, as it was played out. */
export interface HistoryLine {
  role: TranscriptRole;
  /** For the agent, only what was played out to the caller. */
  text: string;
  /** The caller interrupted this line. */
  interrupted: boolean;
  /** The tools the model called after these words; present even when nothing of the line was played out. */
  tool_runs?: FinishedToolCall[];
}

export interface FinishedToolCall {
  call: ToolCall;
  /** Text for the model. */
  result: string;
}

export interface TurnMessagesInput {
  /** `timezone` is an IANA name; an unknown one counts as UTC. */
  agent: { system_prompt: string; call: { timezone: string } };
  /** Values of the prompt's `{variables}`. */
  values: Record<string, string | number | boolean>;
  history: readonly HistoryLine[];
  /** Milliseconds since 1970; see `currentTimeText`. */
  wallMs: number;
  /** The agent's knowledge, the same in every turn; empty or left out without any. */
  knowledge?: string;
  /** Given during the call by the people the agent works for. */
  instructions?: readonly string[];
  /** English name of the language that the caller has changed to; empty or left out where they have not. */
  answerIn?: string;
  /** The history is not whole: its first lines were left out. */
  isCut?: boolean;
}

/**
 * Appended to an interrupted line of the agent. A dash reads as an utterance broken off, and does no harm when the model imitates
 * it; a note in brackets would sooner or later be spoken.
 */
export const CUT_MARK = ' —';

/** In the place of a caller's words that a model heard and no transcript has yet. */
export const UNTRANSCRIBED = '(not transcribed)';

/** Before the words of a person who spoke to the caller: the model knows them, and does not take them for the caller's or its own. */
const HUMAN_AGENT_SAID = '[A person of your team, to the caller:]';
/** After them, in the same message. */
const CALLER_SAID = '[The caller:]';

/** The same for every agent, and therefore first: providers cache prefixes. */
const ON_THE_PHONE = `You are speaking with a person on a phone call. Everything you write is read out to them by a voice, and everything they say reaches you through speech recognition.

- Answer in one to three short, plain sentences, the way people talk. Ask one thing at a time.
- Write only words to be spoken: no markdown, no lists, no headings, no emoji, no stage directions.
- Write numbers, prices, dates and times the way they are said.
- Speech recognition makes mistakes. When something does not make sense, think of words that sound alike; when it matters, ask.
- A line of yours that ends with a dash was interrupted: the caller heard it only up to there. Do not repeat it unless it is still needed.
- When the conversation is over, say a short goodbye and call end_call in the same answer. Never call it without a goodbye.`;

/** The model would otherwise take the first line that it gets for the beginning. */
const CUT_HISTORY =
  'This call has lasted so long that its beginning is left out here. When it matters what was said then, ask instead of guessing.';

const GIVEN_DURING_CALL =
  'The people you work for have given you these instructions during the call, the latest last. Follow them from now on, and do not mention them:';

const answerInText = (language: string) =>
  `The caller now speaks ${language}. Answer in ${language}, in its own script, whatever language the instructions above are in, until they change again.`;

/** The built-in tool that ends the call once the goodbye was played out. It has no arguments. */
export const endCallTool: ToolDefinition = {
  name: 'end_call',
  description:
    'Hangs up after the words of this answer were spoken. Use it when the caller has said goodbye or wants nothing more, and say goodbye in the same answer.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

/** The messages for the next reply. From turn to turn they only grow at the end, so provider caches hold. */
export function turnMessages(input: TurnMessagesInput): ChatMessage[] {
  const { agent, values, history, wallMs, knowledge = '', instructions: given = [] } = input;
  const { answerIn = '', isCut = false } = input;
  const instructions = fillVariables(agent.system_prompt, values).trim();
  const known = knowledge === '' ? '' : inlineKnowledge(knowledge);
  const moment = currentTimeText(wallMs, agent.call.timezone);
  const changed = answerIn === '' ? '' : answerInText(answerIn);
  const added = given.length === 0 ? '' : [GIVEN_DURING_CALL, ...given.map((text) => `- ${text}`)].join('\n');
  const system = [ON_THE_PHONE, instructions, known, isCut ? CUT_HISTORY : '', moment, changed, added].filter(
    (text) => text !== '',
  );
  const messages: ChatMessage[] = [{ role: 'system', content: system.join('\n\n') }];
  let speaker: TranscriptRole = 'user';
  for (const line of history) {
    const said = line.text.trim();
    const text = line.role === 'human_agent' && said !== '' ? `${HUMAN_AGENT_SAID} ${said}` : said;
    const runs = line.tool_runs ?? [];
    if (text === '' && runs.length === 0) continue;
    const last = messages.at(-1);
    if (line.role === 'agent') {
      const content = line.interrupted && text !== '' ? `${text}${CUT_MARK}` : text;
      messages.push(...toolRoundMessages(content, runs));
    } else if (last?.role === 'user') {
      // Nothing was played out in between: one user message for the model.
      const mark = line.role === 'user' && speaker === 'human_agent' ? `${CALLER_SAID} ` : '';
      last.content = `${last.content} ${mark}${text}`;
    } else {
      messages.push({ role: 'user', content: text });
    }
    speaker = line.role;
  }
  return messages;
}

/** What the model wrote, with the tools it called in the same answer and their results. */
export function toolRoundMessages(content: string, runs: readonly FinishedToolCall[]): ChatMessage[] {
  if (runs.length === 0) return [{ role: 'assistant', content }];
  return [
    { role: 'assistant', content, tool_calls: runs.map(({ call }) => call) },
    ...runs.map(({ call, result }): ChatMessage => {
      return { role: 'tool', tool_call_id: call.id, name: call.name, content: result };
    }),
  ];
}

const QUARTER_MINUTES = 15;
const QUARTER_MS = QUARTER_MINUTES * 60_000;
/** By time zone: making one takes half a millisecond, while a caller waits for an answer. */
const timeTexts = new Map<string, { quarter: number; text: string }>();
const MAX_TIME_TEXTS = 500;

/**
 * Date and time for the model, rounded down to 15 minutes so that the text rarely changes during a call: a provider's cache ends
 * at the first difference. All time zones are whole quarters of an hour apart.
 */
export function currentTimeText(wallMs: number, timeZone: string): string {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC';
  const quarter = Math.floor(wallMs / QUARTER_MS);
  const known = timeTexts.get(zone);
  if (known?.quarter === quarter) return known.text;
  const text = timeTextOf(wallMs, zone);
  if (timeTexts.size >= MAX_TIME_TEXTS) timeTexts.clear();
  timeTexts.set(zone, { quarter, text });
  return text;
}

function timeTextOf(wallMs: number, zone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(wallMs).map((part) => [part.type, part.value]));
  const minutes = Number(parts.get('minute'));
  const past = String(minutes - (minutes % QUARTER_MINUTES)).padStart(2, '0');
  const date = `${parts.get('weekday')}, ${parts.get('day')} ${parts.get('month')} ${parts.get('year')}`;
  return `Today is ${date}. It is a little after ${parts.get('hour')}:${past} (${zone}).`;
}
