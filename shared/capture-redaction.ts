import type { CapturedFailure, CapturedSession, CaptureEntry, CaptureHeader, CaptureLine } from './capture.ts';

/**
 * Takes off a tape what anybody said, wrote or was. Every kind of line says for itself what of it may stay, and what is not
 * named here goes. Letters and digits of texts are replaced, spaces and punctuation stay: turns and sentences are told by
 * them. What stays: moments, lengths, names of providers, models, voices, tools and variables, and codes of failures.
 */
export function redactContent(line: CaptureHeader): CaptureHeader;
export function redactContent(line: CaptureLine): CaptureLine | null;
export function redactContent(line: CaptureLine): CaptureLine | null {
  switch (line.k) {
    case 'tape':
      return { ...line, words: false, session: redactSession(line.session) };
    case 'sound':
    case 'packet':
      return { ...line, sound: '' };
    case 'digit':
      // A hash ends what is pressed.
      return { ...line, digit: redactText(line.digit) };
    case 'invalid':
      return { ...line, why: redactText(line.why) };
    case 'closed':
      return { ...line, broken: line.broken && { ...line.broken, detail: redactText(line.broken.detail) } };
    case 'ended':
      return { ...line, detail: redactText(line.detail) };
    case 'opened':
    case 'speechless':
      return { ...line, failure: line.failure && redactFailure(line.failure) } as CaptureEntry;
    case 'heard':
      return { ...line, event: redactEvent(line.event) };
    case 'spoken':
      return { ...line, event: redactEvent({ ...line.event }) as typeof line.event };
    case 'thought':
      return {
        ...line,
        part: line.part && redactPart(line.part),
        failure: line.failure && redactFailure(line.failure),
      };
    case 'fetched':
      return {
        ...line,
        answer: line.answer && redactResponse(line.answer),
        failure: line.failure && redactFailure(line.failure),
      };
    case 'answered':
      return { ...line, answer: redactObject(line.answer), failure: line.failure && redactText(line.failure) };
    case 'ordered':
      return { ...line, order: redactCommand(line.order) };
    case 'outcome':
      return { ...line, outcome: redactObject(line.outcome, CODES) as typeof line.outcome };
    case 'told':
      return { ...line, message: redactText(line.message), data: redactData(line.type, line.data) };
    case 'mark':
    case 'cleared':
    case 'hold':
    case 'stop':
    case 'stream':
    case 'socket':
    case 'mute':
    case 'reported':
    case 'voice':
    case 'made':
    case 'asked':
    case 'place':
    case 'well':
    case 'turn':
    case 'cut':
      return line;
    default:
      // Of a later version: nobody knows what is in it.
      return null;
  }
}

/** Names of an agent's settings whose texts are chosen from a list. */
const SETTINGS = new Set([
  ...['provider', 'model', 'language', 'voice_id', 'turn_detection', 'timezone', 'ambient_sound', 'knowledge_mode'],
  ...['method', 'status'],
]);
/** Names in events, orders and outcomes whose texts are codes of the machine. */
const CODES = new Set([
  ...['component', 'provider', 'kind', 'channel', 'stt', 'llm', 'tts', 'call_id', 'hangup_by', 'transfer_id'],
  ...['status', 'dial_status'],
]);
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(; ?charset=[\w-]{1,40})?$/;

function redactSession(session: CapturedSession): CapturedSession {
  return {
    ...session,
    agent_json: JSON.stringify(redactAgent(JSON.parse(session.agent_json) as Record<string, unknown>)),
    user_data_json: JSON.stringify(redactUntrusted(JSON.parse(session.user_data_json || '{}'))),
    knowledge: session.knowledge && { ...session.knowledge, text: redactText(session.knowledge.text) },
  };
}

/** Still an agent that can be played: numbers stay numbers, and what a call does not need is left out. */
function redactAgent(agent: Record<string, unknown>): Record<string, unknown> {
  const { analytics: _later, avatar: _picture, knowledge_base_ids: _ids, tools, call, ...rest } = agent;
  const calls = (call ?? {}) as Record<string, unknown>;
  return {
    ...(redactObject(rest, SETTINGS) as Record<string, unknown>),
    call: {
      ...(redactObject(calls, SETTINGS) as Record<string, unknown>),
      transfer_targets: listOf(calls.transfer_targets).map((target) => ({
        ...(redactObject(target) as Record<string, unknown>),
        number: typeof target.number === 'string' ? `+1${'0'.repeat(Math.max(6, target.number.length - 2))}` : '',
      })),
    },
    tools: listOf(tools).map((tool) => ({
      ...(redactObject(tool, SETTINGS) as Record<string, unknown>),
      name: tool.name,
      url: 'https://taken-off.invalid/',
      headers: {},
      parameters: typesOnly(tool.parameters),
    })),
  };
}

const listOf = (value: unknown) => (Array.isArray(value) ? (value as Record<string, unknown>[]) : []);

/** Of a JSON Schema names and types only: arguments whose letters and digits were replaced must still fit it. */
function typesOnly(schema: unknown): Record<string, unknown> {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, required, properties, items } = schema as Record<string, unknown>;
  const own = typeof properties === 'object' && properties !== null ? Object.entries(properties) : null;
  return {
    ...(type === undefined ? {} : { type }),
    ...(required === undefined ? {} : { required }),
    ...(own ? { properties: Object.fromEntries(own.map(([name, each]) => [name, typesOnly(each)])) } : {}),
    ...(items === undefined ? {} : { items: typesOnly(items) }),
  };
}

function redactEvent(event: Record<string, unknown>): Record<string, unknown> {
  const { text, failure } = event;
  return {
    ...event,
    ...(typeof text === 'string' ? { text: redactText(text) } : {}),
    ...(failure ? { failure: redactFailure(failure as CapturedFailure) } : {}),
  };
}

function redactPart(part: Record<string, unknown>): Record<string, unknown> {
  if (typeof part.text === 'string') return { ...part, text: redactText(part.text) };
  if (part.type !== 'tool_call') return part;
  const { signature: _opaque, ...call } = part.call as Record<string, unknown>;
  return { ...part, call: { ...call, arguments: redactJson(String(call.arguments)) } };
}

/** Behind these words stands who it was. */
const HUNG_UP_BY = 'hung up by ';

function redactCommand(order: Record<string, unknown>): Record<string, unknown> {
  const reason = String(order.hangup_reason ?? '');
  const byWhom = reason.startsWith(HUNG_UP_BY) ? HUNG_UP_BY + redactText(reason.slice(HUNG_UP_BY.length)) : reason;
  return { ...(redactObject(order, CODES) as Record<string, unknown>), hangup_reason: byWhom };
}

function redactResponse(answer: Record<string, unknown>): Record<string, unknown> {
  const type = (answer.headers as Record<string, unknown> | undefined)?.['content-type'];
  return {
    ...answer,
    headers: { 'content-type': typeof type === 'string' && MEDIA_TYPE.test(type) ? type : '' },
    body: redactText(String(answer.body ?? '')),
  };
}

function redactData(type: string, data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return null;
  const { name, args, values: _names, ...rest } = data as Record<string, unknown>;
  return {
    ...(redactObject(rest, CODES) as Record<string, unknown>),
    // Elsewhere it is a person's.
    ...(typeof name === 'string' ? { name: type.startsWith('tool.') ? name : redactText(name) } : {}),
    ...(args === undefined ? {} : { args: redactUntrusted(args) }),
  };
}

const redactFailure = (failure: CapturedFailure): CapturedFailure => ({
  ...failure,
  message: redactText(failure.message),
});

/** Of a shape we made ourselves: all texts but those of these names; numbers are measures. */
function redactObject(value: unknown, names: ReadonlySet<string> = new Set(), name = ''): unknown {
  if (typeof value === 'string') return names.has(name) ? value : redactText(value, names === SETTINGS);
  if (Array.isArray(value)) return value.map((each) => redactObject(each, names, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactObject(each, names, key)]));
}

/** Of a shape that somebody else made: all texts and all numbers. Names stay, as a tool reads its arguments by them. */
function redactUntrusted(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return Number(String(value).replace(/\d/g, '1')) || 1;
  if (Array.isArray(value)) return value.map(redactUntrusted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactUntrusted(each)]));
}

function redactJson(text: string): string {
  try {
    return JSON.stringify(redactUntrusted(JSON.parse(text)));
  } catch {
    return redactText(text);
  }
}

const SIGN = /\p{L}|\p{M}|\p{N}/gu;
const VARIABLE_OR_SIGN = /\{[a-zA-Z_][a-zA-Z0-9_]{0,63}\}|\p{L}|\p{M}|\p{N}/gu;

/** In the agent's own texts variables keep their names. */
function redactText(text: string, isTemplate = false): string {
  return text.replace(isTemplate ? VARIABLE_OR_SIGN : SIGN, (found) => {
    if (found.length > 2) return found;
    return /\p{N}/u.test(found) ? '0' : found === found.toLowerCase() ? 'x' : 'X';
  });
}
