import { isHangupReason } from './call.ts';
import type {
  CapturedFailure,
  CapturedHandoffReply,
  CapturedSession,
  CaptureEntry,
  CaptureHeader,
  CaptureLine,
} from './capture.ts';
import { variablesOf } from './variables.ts';

const REDACTED = '***';
const REDACTED_URL = 'https://redacted.invalid/';

type SessionSecrets = Pick<CapturedSession, 'agent_json' | 'user_data_json'>;

/**
 * A session's settings without secrets, which are never captured: the values of tool headers, the queries and passwords of
 * URLs, and the values of variables that occur nowhere else. Where other agents may go on with the call, only the values that
 * this one uses outside of headers stay, because the headers of the others are not known. Throws when the agent is not JSON.
 */
export function redactSecrets({ agent_json, user_data_json }: SessionSecrets): SessionSecrets {
  const { agent, headerTexts, used } = withoutSecrets(agent_json);
  const values = readValues(user_data_json);
  const { handoffs } = (agent.call ?? {}) as { handoffs?: unknown };
  const doubtful = listOf(handoffs).length > 0 ? Object.keys(values) : variablesOf(...headerTexts);
  const secret = doubtful.filter((name) => Object.hasOwn(values, name) && !used.has(name));
  return {
    agent_json: JSON.stringify(agent),
    user_data_json:
      secret.length === 0
        ? user_data_json
        : JSON.stringify({ ...values, ...Object.fromEntries(secret.map((name) => [name, REDACTED])) }),
  };
}

/** The agent that a call is handed to without secrets, with the values of the call that it uses outside of headers. */
export function redactHandoffSecrets({ agent_json, user_data_json }: SessionSecrets): SessionSecrets {
  const { agent, used } = withoutSecrets(agent_json);
  const values = Object.entries(readValues(user_data_json)).filter(([name]) => used.has(name));
  return { agent_json: JSON.stringify(agent), user_data_json: JSON.stringify(Object.fromEntries(values)) };
}

const readValues = (user_data_json: string) => JSON.parse(user_data_json || '{}') as Record<string, unknown>;

/** The agent without secrets, the values of its tools' headers, and the variables that it uses outside of headers. */
function withoutSecrets(agent_json: string) {
  const agent = JSON.parse(agent_json) as Record<string, unknown>;
  const headerTexts: string[] = [];
  if (Array.isArray(agent.tools)) {
    agent.tools = agent.tools.map((tool: Record<string, unknown>) => {
      const headers = Object.entries((tool.headers as Record<string, string> | undefined) ?? {});
      headerTexts.push(...headers.map(([, value]) => value));
      return {
        ...tool,
        ...(typeof tool.url === 'string' ? { url: redactUrl(tool.url) } : {}),
        headers: Object.fromEntries(headers.map(([name]) => [name, REDACTED])),
      };
    });
  }
  if (typeof agent.webhook_url === 'string') agent.webhook_url = '';
  return { agent, headerTexts, used: new Set(variablesOf(JSON.stringify(agent))) };
}

/** A timeline event's data without secrets: a tool's URL is part of it with its query. */
export function redactEventData(data: Record<string, unknown>): Record<string, unknown> {
  return typeof data.url === 'string' ? { ...data, url: redactUrl(data.url) } : data;
}

function redactUrl(address: string): string {
  const url = URL.parse(address);
  if (!url) return REDACTED_URL;
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : `?${REDACTED}`}`;
}

/**
 * A line without what anybody said, wrote or is called; null when the whole line has to go. Each kind of line lists what may
 * stay, everything else goes. Letters and digits of texts are replaced; spaces and punctuation stay, because turns and
 * sentences depend on them. Times, lengths, names of providers, models, voices, tools and variables, and codes of failures
 * stay. `speech` replaces what the caller said, where that may keep more than other texts.
 */
export function redactContent(line: CaptureHeader): CaptureHeader;
export function redactContent(line: CaptureLine, speech?: Redaction): CaptureLine | null;
export function redactContent(line: CaptureLine, speech: Redaction = redactText): CaptureLine | null {
  switch (line.k) {
    case 'header':
      return { ...line, redacted: true, session: redactSession(line.session) };
    case 'audio':
    case 'packet':
      return { ...line, audio: '' };
    case 'digit':
      // A hash is structure: it ends the caller's input.
      return { ...line, digit: redactText(line.digit) };
    case 'invalid':
    case 'carrier_error':
      return { ...line, reason: redactText(line.reason) };
    case 'closed':
      return { ...line, broken: line.broken && { ...line.broken, detail: redactText(line.broken.detail) } };
    case 'ended':
      return { ...line, detail: redactText(line.detail) };
    case 'opened':
    case 'synthesizer_failed':
      return { ...line, failure: line.failure && redactFailure(line.failure) } as CaptureEntry;
    case 'transcriber_event':
      return { ...line, event: redactEvent(line.event, speech) } as CaptureEntry;
    case 'session_event':
      return {
        ...line,
        event: redactEvent(line.event, CALLER_SAID.has(String(line.event.type)) ? speech : redactText),
      } as CaptureEntry;
    case 'synthesizer_event':
      return { ...line, event: redactEvent({ ...line.event }) as typeof line.event };
    case 'llm_part':
      return {
        ...line,
        part: line.part && redactPart(line.part),
        failure: line.failure && redactFailure(line.failure),
      };
    case 'tool_response':
      return {
        ...line,
        response: line.response && redactResponse(line.response),
        failure: line.failure && redactFailure(line.failure),
      };
    case 'bus_reply':
      return {
        ...line,
        reply: line.request === 'handoff' ? redactHandoffReply(line.reply) : redactObject(line.reply),
        failure: line.failure && redactText(line.failure),
      };
    case 'command':
      return { ...line, command: redactCommand(line.command) };
    case 'live_order':
      return { ...line, order: redactOrder(line.order) };
    case 'transfer_outcome':
      return { ...line, outcome: redactObject(line.outcome, CODES) as typeof line.outcome };
    case 'timeline_event':
      return { ...line, message: redactMessage(line, speech), data: redactData(line.type, line.data) };
    case 'mark':
    case 'pong':
    case 'cleared':
    case 'hold':
    case 'stop':
    case 'stream':
    case 'socket':
    case 'mute':
    case 'connection_report':
    case 'vad':
    case 'created':
    case 'session_created':
    case 'llm_request':
    case 'permit':
    case 'health':
    case 'turn_prediction':
    case 'truncated':
      return line;
    default:
      // A kind of a later version, whose contents are unknown.
      return null;
  }
}

export type Redaction = (text: string) => string;

/** Events of a speech-to-speech session with what the caller said. */
const CALLER_SAID = new Set(['partial', 'transcript']);
/** Agent settings whose texts are chosen from a list. */
const SETTINGS = new Set([
  ...['provider', 'model', 'language', 'voice_id', 'turn_detection', 'timezone', 'ambient_sound', 'knowledge_mode'],
  ...['method', 'kind', 'status', 'voice', 'output', 'text_provider', 'text_model'],
]);
/** Fields of events, commands and outcomes whose texts are codes. */
const CODES = new Set([
  ...['component', 'provider', 'kind', 'channel', 'stt', 'llm', 'tts', 'call_id', 'hangup_by', 'transfer_id'],
  ...['status', 'dial_status'],
]);
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(; ?charset=[\w-]{1,40})?$/;

function redactSession(session: CapturedSession): CapturedSession {
  return { ...session, ...redactSettings(session) };
}

type AgentSettings = Pick<CapturedSession, 'agent_json' | 'user_data_json' | 'knowledge'>;

const redactSettings = ({ agent_json, user_data_json, knowledge }: AgentSettings): AgentSettings => ({
  agent_json: JSON.stringify(redactAgent(JSON.parse(agent_json) as Record<string, unknown>)),
  user_data_json: JSON.stringify(redactUntrusted(readValues(user_data_json))),
  knowledge: knowledge && { ...knowledge, text: redactText(knowledge.text) },
});

function redactHandoffReply(reply: unknown): CapturedHandoffReply | null {
  if (reply === null) return null;
  const { refused, agent } = reply as CapturedHandoffReply;
  if (!agent) return { refused: redactText(refused) };
  const { agent_id, paid_seconds } = agent;
  return {
    refused: redactText(refused),
    agent: { agent_id: redactText(agent_id), paid_seconds, ...redactSettings(agent) },
  };
}

/** An agent that can still be replayed: numbers stay, and what a call does not need is left out. */
function redactAgent(agent: Record<string, unknown>): Record<string, unknown> {
  const {
    analytics: _analytics,
    avatar: _avatar,
    knowledge_base_ids: _ids,
    tools,
    call,
    voice,
    mcp_servers: _servers,
    ...rest
  } = agent;
  const { pronunciations: _words, ...spoken } = (voice ?? {}) as Record<string, unknown>;
  const settings = (call ?? {}) as Record<string, unknown>;
  return {
    ...(redactObject(rest, SETTINGS) as Record<string, unknown>),
    voice: redactObject(spoken, SETTINGS),
    call: {
      ...(redactObject(settings, SETTINGS) as Record<string, unknown>),
      transfer_targets: listOf(settings.transfer_targets).map((target) => ({
        ...(redactObject(target) as Record<string, unknown>),
        number: typeof target.number === 'string' ? `+1${'0'.repeat(Math.max(6, target.number.length - 2))}` : '',
      })),
    },
    tools: listOf(tools).map((tool) => ({
      ...(redactObject(tool, SETTINGS) as Record<string, unknown>),
      name: tool.name,
      url: REDACTED_URL,
      headers: {},
      parameters: typesOnly(tool.parameters),
    })),
  };
}

const listOf = (value: unknown) => (Array.isArray(value) ? (value as Record<string, unknown>[]) : []);

/** The names and types of a JSON Schema: redacted arguments must still be valid. */
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

function redactEvent(event: Record<string, unknown>, speech: Redaction = redactText): Record<string, unknown> {
  const { text, failure, call } = event;
  return {
    ...event,
    ...(call ? { call: redactToolCall(call as Record<string, unknown>) } : {}),
    ...(typeof text === 'string' ? { text: speech(text) } : {}),
    ...(failure ? { failure: redactFailure(failure as CapturedFailure) } : {}),
  };
}

/** The reason of an end is one of a list, or has a person's name. */
function redactMessage({ type, message }: { type: string; message: string }, speech: Redaction): string {
  if (type === 'user.turn') return speech(message);
  return type === 'call.ended' && isHangupReason(message) ? redactReason(message) : redactText(message);
}

function redactPart(part: Record<string, unknown>): Record<string, unknown> {
  if (typeof part.text === 'string') return { ...part, text: redactText(part.text) };
  return part.type === 'tool_call' ? { ...part, call: redactToolCall(part.call as Record<string, unknown>) } : part;
}

function redactToolCall({ signature: _signature, ...call }: Record<string, unknown>): Record<string, unknown> {
  return { ...call, arguments: redactJson(String(call.arguments)) };
}

/** A person's name follows. */
const HUNG_UP_BY = 'hung up by ';

const redactReason = (reason: string): string =>
  reason.startsWith(HUNG_UP_BY) ? HUNG_UP_BY + redactText(reason.slice(HUNG_UP_BY.length)) : reason;

function redactCommand(command: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(redactObject(command, CODES) as Record<string, unknown>),
    hangup_reason: redactReason(String(command.hangup_reason ?? '')),
  };
}

/** Fields of orders in a live call whose texts are codes. */
const ORDER_CODES = new Set(['action', 'side', 'order_id', 'call_id', 'by']);

function redactOrder(order: Record<string, unknown>): Record<string, unknown> {
  const content: unknown = JSON.parse(String(order.order_json));
  return {
    ...(redactObject(order, ORDER_CODES) as Record<string, unknown>),
    order_json: JSON.stringify(redactObject(content, ORDER_CODES)),
  };
}

function redactResponse(response: Record<string, unknown>): Record<string, unknown> {
  const type = (response.headers as Record<string, unknown> | undefined)?.['content-type'];
  return {
    ...response,
    headers: { 'content-type': typeof type === 'string' && MEDIA_TYPE.test(type) ? type : '' },
    body: redactText(String(response.body ?? '')),
  };
}

function redactData(type: string, data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return null;
  const { name, args, values: _values, ...rest } = data as Record<string, unknown>;
  return {
    ...(redactObject(rest, CODES) as Record<string, unknown>),
    // In other events it is a person's name.
    ...(typeof name === 'string' ? { name: type.startsWith('tool.') ? name : redactText(name) } : {}),
    ...(args === undefined ? {} : { args: redactUntrusted(args) }),
  };
}

const redactFailure = (failure: CapturedFailure): CapturedFailure => ({
  ...failure,
  message: redactText(failure.message),
});

/** For objects of this service's own shape: replaces all texts except in the fields `codes`; numbers stay. */
function redactObject(value: unknown, codes: ReadonlySet<string> = new Set(), field = ''): unknown {
  if (typeof value === 'string') return codes.has(field) ? value : redactText(value, codes === SETTINGS);
  if (Array.isArray(value)) return value.map((each) => redactObject(each, codes, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactObject(each, codes, key)]));
}

/** For objects of a client's shape: replaces all texts and numbers. Keys stay, because tools read their arguments by them. */
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

const CHARACTER = /\p{L}|\p{M}|\p{N}/gu;
const VARIABLE_OR_CHARACTER = /\{[a-zA-Z_][a-zA-Z0-9_]{0,63}\}|\p{L}|\p{M}|\p{N}/gu;

/** Replaces letters by x and digits by 0. In a template, an agent's own text, variables keep their names. */
export function redactText(text: string, isTemplate = false): string {
  return text.replace(isTemplate ? VARIABLE_OR_CHARACTER : CHARACTER, (found) => {
    if (found.length > 2) return found;
    return /\p{N}/u.test(found) ? '0' : found === found.toLowerCase() ? 'x' : 'X';
  });
}
