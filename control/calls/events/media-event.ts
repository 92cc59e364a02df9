import type { CallEvent } from '../../../shared/bus/messages.ts';
import { type HangupBy, type HangupReason, isHangupReason } from '../../../shared/call.ts';
import { EVENT_TYPES, type EventType } from '../../../shared/events.ts';
import { TRANSCRIPT_ROLES } from '../../../shared/transcript.ts';
import { emptyUsage, type ProviderUsage, REALTIME_TOKENS, type Usage } from '../../../shared/usage.ts';
import { storableText } from '../../db/storable-text.ts';
import type { StoredTranscriptItem } from '../call-row.ts';
import type { Ending } from '../lifecycle/finish-call.ts';
import type { NewEvent } from './timeline.ts';

/** What an event means for its call, besides its place on the timeline. */
export interface AppliedEvent extends NewEvent {
  transcript: StoredTranscriptItem[];
  /** That reports it; none for what control adds. */
  engine_id?: string;
  /** Of `call.ended`; null for every other type. */
  ending: Ending | null;
}

/** An engine's event, validated so that every value can be stored. */
export interface MediaEvent extends AppliedEvent {
  source_seq: number;
}

/** They change more of a call than its timeline and transcript. */
const STATUS_TYPES: ReadonlySet<EventType> = new Set([
  'call.started',
  'call.voicemail',
  'call.transfer_status',
  'call.ended',
]);

export const changesCall = ({ type }: AppliedEvent): boolean => STATUS_TYPES.has(type);

const MAX_ENGINE_ID_LENGTH = 100;

/** Only a connected call has them. */
const CONVERSATION_TYPES: ReadonlySet<EventType> = new Set([
  'call.started',
  'welcome',
  'recording.notice',
  'tts.first_audio',
  'user.turn',
  'llm.first_token',
  'agent.reply',
  'human_agent.turn',
  'interrupted',
  'tool.call',
  'user.online_check',
  'call.dtmf',
  'call.voicemail',
  'call.transferred',
]);

/** When a call was connected at the latest, as this event proves, milliseconds since 1970; null when it proves nothing. */
export function connectedBy({ type, at_ms, ending }: AppliedEvent): number | null {
  if (ending) return ending.duration_seconds > 0 ? at_ms - ending.duration_seconds * 1_000 : null;
  return CONVERSATION_TYPES.has(type) ? at_ms : null;
}

const TYPES = new Set<string>(EVENT_TYPES);
const LEVELS = new Set<string>(['info', 'warning', 'error']);
/** What is written of an end whose reason this version does not know. */
const REASONS_BY_PARTY: Readonly<Record<HangupBy, HangupReason>> = {
  caller: 'caller hung up',
  agent: 'agent ended the call',
  member: 'hung up by a member',
  carrier: 'carrier failed',
  service: 'error: media',
};

const INT4_MAX = 2 ** 31 - 1;
const EARLIEST_MS = Date.UTC(2000, 0);
const LATEST_MS = Date.UTC(2100, 0);

/** Validates an event from the bus; a string says what is wrong with it. */
export function parseMediaEvent(event: CallEvent): MediaEvent | string {
  const { seq, at_ms, type, level, latency_ms } = event;
  if (!TYPES.has(type)) return `unknown type ${type.slice(0, 40)}`;
  if (!LEVELS.has(level)) return `unknown level ${level.slice(0, 40)}`;
  if (!(seq >= 1 && seq <= INT4_MAX)) return 'seq out of range';
  if (!isTimestamp(at_ms)) return 'at_ms out of range';
  let data: unknown;
  try {
    data = storable(JSON.parse(event.data_json === '' ? '{}' : event.data_json));
  } catch {
    return 'data_json is not JSON';
  }
  if (!isObject(data)) return 'data_json is not an object';
  const transcript: StoredTranscriptItem[] = [];
  for (const line of event.transcript) {
    if (!TRANSCRIPT_ROLES.includes(line.role)) return 'a transcript line has an unknown role';
    if (!isTimestamp(line.at_ms)) return 'at_ms of a transcript line out of range';
    transcript.push({
      role: line.role,
      text: storableText(line.text),
      at: Math.round(line.at_ms),
      interrupted: line.interrupted,
    });
  }
  const ending = type === 'call.ended' ? parseEnding(event, data) : null;
  return {
    type: type as EventType,
    source_seq: seq,
    engine_id: storableText(event.engine_id).slice(0, MAX_ENGINE_ID_LENGTH),
    at_ms,
    level,
    message: storableText(event.message),
    latency_ms: latency_ms === undefined ? null : toInt4(latency_ms),
    data: ending ? { ...data, hangup_by: ending.hangup_by } : data,
    transcript,
    ending,
  };
}

function parseEnding({ ending, at_ms }: CallEvent, data: Record<string, unknown>): Ending {
  const by = ending?.hangup_by ?? '';
  const hangup_by = Object.hasOwn(REASONS_BY_PARTY, by) ? (by as HangupBy) : 'service';
  const reason = storableText(ending?.hangup_reason ?? '').slice(0, 200);
  const average = ending?.avg_first_audio_ms;
  return {
    hangup_by,
    hangup_reason: isHangupReason(reason) ? reason : REASONS_BY_PARTY[hangup_by],
    ended_at_ms: at_ms,
    duration_seconds: Math.min(INT4_MAX, Math.max(0, Number(ending?.duration_seconds) || 0)),
    avg_first_audio_ms: average === undefined ? null : toInt4(average),
    usage: parseUsage(data.usage),
    recorded: ending?.recorded ?? false,
    provider_usage: parseProviderUsage(ending?.provider_usage_json ?? ''),
    answered_by: ending?.answered_by === 'human' || ending?.answered_by === 'machine' ? ending.answered_by : null,
  };
}

const MAX_PROVIDER_USAGES = 50;
const COUNTS = ['stt_seconds', 'tts_characters', 'llm_input_tokens', 'llm_output_tokens', ...REALTIME_TOKENS] as const;
const COMPONENTS = new Set<unknown>(['transcriber', 'llm', 'voice', 'realtime']);

/** Invalid entries are left out: the totals are in `usage`. */
function parseProviderUsage(json: string): ProviderUsage[] {
  let parts: unknown;
  try {
    parts = JSON.parse(json === '' ? '[]' : json);
  } catch {
    return [];
  }
  if (!Array.isArray(parts)) return [];
  return parts.slice(0, MAX_PROVIDER_USAGES).flatMap((part: unknown) => {
    if (!isObject(part)) return [];
    const { component, provider, model } = part;
    if (!COMPONENTS.has(component)) return [];
    const known = component as ProviderUsage['component'];
    const read: ProviderUsage = { component: known, provider: storableName(provider), model: storableName(model) };
    for (const each of COUNTS) {
      const amount = part[each];
      if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0) read[each] = amount;
    }
    return [read];
  });
}

const storableName = (value: unknown) => storableText(typeof value === 'string' ? value : '').slice(0, 100);

function parseUsage(value: unknown): Usage {
  const usage = emptyUsage();
  if (!isObject(value)) return usage;
  for (const name of Object.keys(usage) as (keyof Usage)[]) {
    const amount = value[name];
    if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0) usage[name] = amount;
  }
  return usage;
}

/** @throws RangeError when the value is nested too deeply for the stack. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storableText(name), storable(each)]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTimestamp = (ms: number) => ms > EARLIEST_MS && ms < LATEST_MS;

const toInt4 = (value: number) => (Number.isFinite(value) ? Math.round(Math.min(INT4_MAX, Math.max(0, value))) : 0);
