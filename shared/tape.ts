/**
 * A tape holds everything that came into a call from outside, with its times, so that the call can be played again through
 * any later engine: gzip over lines of JSON, the first of them the head.
 *
 * `t` is milliseconds since the engine began the call, to the microsecond; what came before has a negative one. What answers
 * the engine says how long after the question it came (`after`), so that it can be given to an engine that asks earlier or
 * later than the one that was taped. Questions are numbered by kind, from 0, in the order they were asked.
 *
 * Of the carrier it has the messages as they arrived, before the jitter buffer. Of providers it has what their adapters made
 * of their messages; of a voice's sound only the lengths. The agent's secrets (values of tool headers, addresses' queries)
 * are never on it. Without words, letters and digits of every text are replaced, the caller's sound is gone, and what the
 * voice-activity model made of it is all that is left.
 */
export type TapeLine = TapeHead | TapeEntry;

export interface TapeHead {
  k: 'tape';
  version: 1;
  call_id: string;
  /** Milliseconds since 1970 at `t` 0. */
  wall_ms: number;
  /** False: replaced, see above. */
  words: boolean;
  session: TapedSession;
  leg: TapedLeg;
}

export interface TapedSession {
  direction: string;
  channel: string;
  /** The agent's configuration without secrets, as JSON. */
  agent_json: string;
  user_data_json: string;
  max_duration_seconds: number;
  llm_fallbacks: string[];
  knowledge: { text: string; search: boolean } | null;
}

export interface TapedLeg {
  carrier: string;
  caller: { encoding: string; sample_rate: number };
  agent: { encoding: string; sample_rate: number };
}

export interface TapedFailure {
  provider: string;
  kind: string;
  message: string;
  status?: number;
  retry_after_ms?: number | null;
}

export type TapeEntry = {
  t: number;
} /** The caller's sound: as numbered by the carrier, base64 as it came; no `sound`: taken off. */ & (
  | { k: 'sound'; order: number | null; sound: string }
  | { k: 'mark'; name: string }
  | { k: 'cleared' }
  | { k: 'digit'; digit: string }
  | { k: 'hold'; held: boolean }
  | { k: 'stop' }
  | { k: 'invalid'; why: string }
  /** The socket closed, or another one goes on with the call. */
  | { k: 'closed'; code: number; broken: { cause: string; detail: string } | null }
  | { k: 'stream' }
  /** From here on the socket took sound, or did not. */
  | { k: 'socket'; takes: boolean }
  /** One window of voice activity, as the engine of the tape heard it. */
  | { k: 'voice'; p: number; end: number; periodicity: number }
  /** A transcriber or voice was made for this sound, the n-th of its kind. */
  | {
      k: 'made';
      part: 'transcriber' | 'speech';
      n: number;
      provider: string;
      model: string;
      sound: { encoding: string; sample_rate: number };
      decides_turns: boolean;
    }
  /** So long after it was asked to open it was, or failed. */
  | { k: 'opened'; part: 'transcriber' | 'speech'; n: number; after: number; failure: TapedFailure | null }
  | { k: 'heard'; n: number; event: Record<string, unknown> }
  /** Of the context that was begun as the c-th of this voice, counted from its first text. */
  | { k: 'spoken'; n: number; c: number; after: number; event: SpokenEvent }
  /** The voice as a whole is lost. */
  | { k: 'speechless'; n: number; failure: TapedFailure }
  /** The model was asked; a draft that was dropped before its first word is not answered. */
  | { k: 'asked'; n: number }
  | { k: 'thought'; n: number; after: number; part: Record<string, unknown> | null; failure: TapedFailure | null }
  /** What a tool's address answered, or why not. */
  | { k: 'fetched'; n: number; after: number; answer: Record<string, unknown> | null; failure: TapedFailure | null }
  /** What control answered to a question. */
  | { k: 'answered'; question: string; n: number; after: number; answer: unknown; failure: string | null }
  | { k: 'ordered'; order: Record<string, unknown> }
  | { k: 'outcome'; outcome: Record<string, unknown> }
  | { k: 'place'; account: string; n: number; after: number; got: boolean }
  /** Whether a provider was well when the call asked, by what earlier calls had seen of it. */
  | { k: 'well'; key: string; well: boolean }
  | { k: 'turn'; n: number; after: number; p: number }
  /** What the engine of the tape made of it: for comparing. */
  | { k: 'told'; type: string; level: string; message: string; latency_ms: number | null; data: unknown }
  /** The tape ends before the call: the disk was too slow, or the tape too long. */
  | { k: 'cut'; why: string }
);

export type SpokenEvent =
  | { type: 'audio'; bytes: number }
  | { type: 'timing'; text: string; startMs: number[] }
  | { type: 'done' }
  | { type: 'failed'; failure: TapedFailure };

/** Where a header's value stood, or the query of an address. */
const HIDDEN = '***';

/** The configuration as it may be taped: who reads a tape learns no secret of the agent's. */
export function withoutSecrets(agentJson: string): string {
  const agent = JSON.parse(agentJson) as Record<string, unknown>;
  if (Array.isArray(agent.tools)) {
    agent.tools = agent.tools.map((tool: Record<string, unknown>) => ({
      ...tool,
      ...(typeof tool.url === 'string' ? { url: withoutQuery(tool.url) } : {}),
      headers: Object.fromEntries(
        Object.keys((tool.headers as object | undefined) ?? {}).map((name) => [name, HIDDEN]),
      ),
    }));
  }
  if (typeof agent.webhook_url === 'string') agent.webhook_url = '';
  return JSON.stringify(agent);
}

function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : `${url.slice(0, at)}?${HIDDEN}`;
}

/** Names whose texts are words of the machine, not of people. */
const MACHINE = new Set([
  ...[
    'k',
    'type',
    'part',
    'kind',
    'provider',
    'model',
    'encoding',
    'carrier',
    'direction',
    'channel',
    'question',
    'cause',
  ],
  ...[
    'language',
    'id',
    'tool_call_id',
    'role',
    'name',
    'reason',
    'status',
    'level',
    'hangup_by',
    'hangup_reason',
    'account',
  ],
  ...[
    'transfer_id',
    'call_id',
    'content-type',
    'timezone',
    'turn_detection',
    'knowledge_mode',
    'method',
    'voice_id',
    'format',
  ],
  ...['ambient_sound', 'detail', 'why', 'component', 'tool', 'parameters'],
]);

/** The same line without anything a person said, wrote or was; null where nothing of it is left. */
export function withoutWords(line: TapeLine): TapeLine | null {
  if (line.k === 'sound') return { ...line, sound: '' };
  if (line.k === 'digit') return { ...line, digit: '0' };
  if (line.k !== 'tape') return masked(line, '') as TapeLine;
  const { session } = line;
  return {
    ...line,
    words: false,
    session: {
      ...session,
      agent_json: JSON.stringify(masked(JSON.parse(session.agent_json), '')),
      user_data_json: JSON.stringify(masked(JSON.parse(session.user_data_json || '{}'), 'user_data')),
      knowledge: session.knowledge && { ...session.knowledge, text: hide(session.knowledge.text) },
    },
  };
}

function masked(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    if (name === 'url') return 'https://taken-off.invalid/';
    return MACHINE.has(name) ? value : maskedText(value);
  }
  if (Array.isArray(value)) return value.map((each) => masked(each, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, masked(each, key)]));
}

/** Arguments of a tool are JSON themselves: their names stay, so that the tool can still read them. */
function maskedText(text: string): string {
  if (!/^\s*[{[]/.test(text)) return hide(text);
  try {
    return JSON.stringify(masked(JSON.parse(text), ''));
  } catch {
    return hide(text);
  }
}

/** Spaces and punctuation stay: they are what turns and sentences are told by. A variable keeps its name. */
function hide(text: string): string {
  return text.replace(/\{[a-z_][a-z0-9_]*\}|\p{L}|\p{M}|\p{N}/giu, (found) => {
    if (found.length > 1) return found;
    return /\p{N}/u.test(found) ? '0' : found === found.toLowerCase() ? 'x' : 'X';
  });
}
