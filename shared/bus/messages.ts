import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import type { AnsweredBy, CallEnd, HangupBy, HangupReason } from '../call.ts';
import type { EventLevel } from '../events.ts';
import type { TranscriptItem } from '../transcript.ts';
import type { TransferStatus } from '../transfer.ts';

/** TypeScript types and codecs of the bus messages in `messages.proto`, where the fields are documented. */

export interface CallEvent {
  call_id: string;
  seq: number;
  engine_id: string;
  at_ms: number;
  type: string;
  level: EventLevel;
  message: string;
  latency_ms?: number | undefined;
  data_json: string;
  transcript: TranscriptItem[];
  ending?: CallEnding | undefined;
}

export interface CallEnding extends CallEnd {
  duration_seconds: number;
  avg_first_audio_ms?: number | undefined;
  recorded: boolean;
  answered_by?: AnsweredBy | undefined;
  provider_usage_json?: string | undefined;
}

export interface OpenSessionRequest {
  call_id: string;
  nonce: string;
  engine_id: string;
  carrier: string;
  provider_call_id: string;
  public_key?: Uint8Array | undefined;
}

export interface Session {
  call_id: string;
  workspace_id: string;
  agent_id: string;
  direction: string;
  channel: string;
  from_number: string;
  to_number: string;
  agent_json: string;
  user_data_json: string;
  max_duration_seconds: number;
  capped_by_credits?: boolean | undefined;
  llm_fallbacks: string[];
  knowledge?: SessionKnowledge | undefined;
  capture?: boolean | undefined;
  started_by?: string | undefined;
  test?: TestSession | undefined;
  sealed_headers?: Uint8Array | undefined;
}

export interface TestSession {
  tool_results_json: string;
}

export interface SessionKnowledge {
  text: string;
  search: boolean;
}

export interface SearchKnowledgeRequest {
  call_id: string;
  query: string;
  limit: number;
  within_ms: number;
  agent_id?: string | undefined;
}

export interface SearchKnowledgeReply {
  error: string;
  passages: KnowledgePassage[];
  hits: number;
  embed_ms: number;
  search_ms: number;
}

export interface KnowledgePassage {
  source: string;
  text: string;
  score: number;
  keyword_match: boolean;
}

export interface OpenSessionReply {
  refused: string;
  session?: Session | undefined;
}

export interface FetchAmbientSoundRequest {
  workspace_id: string;
  sound_id: string;
  offset: number;
}

export interface FetchAmbientSoundReply {
  found: boolean;
  total_bytes: number;
  chunk: Uint8Array;
}

export interface HangUpCommand {
  call_id: string;
  hangup_by: HangupBy;
  hangup_reason: HangupReason;
}

export interface RecordingOrder {
  call_id: string;
  paused: boolean;
}

export interface LiveOrderRequest {
  call_id: string;
  order_id: string;
  by: string;
  by_id: string;
  order_json: string;
}

export interface StartTransferRequest {
  call_id: string;
  transfer_id: string;
  name: string;
  number: string;
  reason: string;
  warm: boolean;
  summary: string;
  language: string;
}

export interface StartTransferReply {
  accepted: boolean;
  message: string;
}

export interface TransferOutcome {
  call_id: string;
  transfer_id: string;
  status: TransferStatus;
  dial_status: string;
}

export interface BookCallbackRequest {
  call_id: string;
  when: string;
  note: string;
}

export interface BookCallbackReply {
  booked: boolean;
  message: string;
}

export interface OpenHandoffRequest {
  call_id: string;
  from_agent_id: string;
  agent_id: string;
  public_key?: Uint8Array | undefined;
}

export interface OpenHandoffReply {
  refused: string;
  agent?: HandoffAgent | undefined;
}

export interface HandoffAgent {
  agent_id: string;
  agent_json: string;
  sealed_headers?: Uint8Array | undefined;
  knowledge?: SessionKnowledge | undefined;
  paid_seconds: number;
}

export interface StartTestCall {
  session: Session;
  language: string;
  background_noise: string;
}

export interface TestTurn {
  call_id: string;
  turn: number;
  text: string;
  interruption: string;
  hangs_up: boolean;
}

export interface TestTurnReply {
  done: boolean;
  over: boolean;
  failed: string;
  result?: TestTurnResult | undefined;
}

export interface TestTurnResult {
  said_at_ms?: number | undefined;
  interrupted_at_ms?: number | undefined;
  agent_spoke: boolean;
  talk_over_ms: number;
  stopped_after_ms?: number | undefined;
  provider_usage_json: string;
}

export interface CommandReply {
  done: boolean;
  detail: string;
  engine_id?: string | undefined;
}

export interface Heartbeat {
  engine_id: string;
  at_ms: number;
  call_ids: string[];
  headroom?: number | undefined;
  public_url?: string | undefined;
}

export interface WakeUp {
  from: string;
  topic: string;
  keys: string[];
}

export interface Codec<Message> {
  encode(message: Message): Uint8Array;
  /** @throws Error when the bytes are not this message. */
  decode(bytes: Uint8Array): Message;
}

const SCHEMA = readFileSync(new URL('./messages.proto', import.meta.url), 'utf8');
const { root } = protobuf.parse(SCHEMA, { keepCase: true });

function codec<Message extends object>(name: string): Codec<Message> {
  const type = root.lookupType(`antiphon.v1.${name}`);
  return {
    encode: (message) => type.encode(type.fromObject(message)).finish(),
    decode: (bytes) => fillDefaults(type, type.toObject(type.decode(bytes), { arrays: true })) as Message,
  };
}

/** proto3 omits default values: a plain field gets its default back, an `optional` one stays absent. */
function fillDefaults(type: protobuf.Type, message: Record<string, unknown>): Record<string, unknown> {
  for (const field of type.fieldsArray) {
    const kind = field.resolve().resolvedType;
    const value = message[field.name];
    if (kind instanceof protobuf.Type) {
      if (field.repeated) for (const item of value as Record<string, unknown>[]) fillDefaults(kind, item);
      else if (value !== undefined) fillDefaults(kind, value as Record<string, unknown>);
    } else if (value === undefined && !field.repeated && !field.partOf) {
      message[field.name] = field.type === 'bytes' ? new Uint8Array() : field.defaultValue;
    }
  }
  return message;
}

export const callEventCodec = codec<CallEvent>('CallEvent');
export const openSessionRequestCodec = codec<OpenSessionRequest>('OpenSessionRequest');
export const openSessionReplyCodec = codec<OpenSessionReply>('OpenSessionReply');
export const searchKnowledgeRequestCodec = codec<SearchKnowledgeRequest>('SearchKnowledgeRequest');
export const searchKnowledgeReplyCodec = codec<SearchKnowledgeReply>('SearchKnowledgeReply');
export const fetchAmbientSoundRequestCodec = codec<FetchAmbientSoundRequest>('FetchAmbientSoundRequest');
export const fetchAmbientSoundReplyCodec = codec<FetchAmbientSoundReply>('FetchAmbientSoundReply');
export const hangUpCommandCodec = codec<HangUpCommand>('HangUpCommand');
export const recordingOrderCodec = codec<RecordingOrder>('RecordingOrder');
export const liveOrderRequestCodec = codec<LiveOrderRequest>('LiveOrderRequest');
export const startTransferRequestCodec = codec<StartTransferRequest>('StartTransferRequest');
export const startTransferReplyCodec = codec<StartTransferReply>('StartTransferReply');
export const transferOutcomeCodec = codec<TransferOutcome>('TransferOutcome');
export const bookCallbackRequestCodec = codec<BookCallbackRequest>('BookCallbackRequest');
export const bookCallbackReplyCodec = codec<BookCallbackReply>('BookCallbackReply');
export const openHandoffRequestCodec = codec<OpenHandoffRequest>('OpenHandoffRequest');
export const openHandoffReplyCodec = codec<OpenHandoffReply>('OpenHandoffReply');
export const startTestCallCodec = codec<StartTestCall>('StartTestCall');
export const testTurnCodec = codec<TestTurn>('TestTurn');
export const testTurnReplyCodec = codec<TestTurnReply>('TestTurnReply');
export const commandReplyCodec = codec<CommandReply>('CommandReply');
export const heartbeatCodec = codec<Heartbeat>('Heartbeat');
export const wakeUpCodec = codec<WakeUp>('WakeUp');
