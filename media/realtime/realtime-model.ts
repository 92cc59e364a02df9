import type { AgentConfig, RealtimeSettings } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ToolCall, ToolDefinition } from '../../shared/llm/language-model.ts';
import type { Logger } from '../../shared/log.ts';
import type { RealtimeManifest, SettingsOf } from '../../shared/providers/manifest.ts';
import type { RealtimeTokens } from '../../shared/usage.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ProviderError, ProviderFailure } from '../provider/provider-error.ts';

/**
 * One session with a model that hears and speaks. It knows neither turns nor playout: when the caller's speech is complete, when a
 * reply is wanted, and how much of it was played out is told to it. What the conversation makes of it is in `realtime-session.ts`.
 */
export interface RealtimeModel {
  readonly provider: string;
  readonly model: string;
  /** The format of `audio`. */
  readonly input: AudioFormat;
  /** The format of `audio` events. */
  readonly output: AudioFormat;
  readonly capabilities: RealtimeCapabilities;
  /** Connects. Resolves when audio can be sent; rejects with ProviderError, within a deadline of its own. */
  open(): Promise<void>;
  /** The caller's speech begins: audio follows, that of a moment before it first. */
  startSpeech(): void;
  /** A part of the caller's speech. The bytes are not kept after the call returns. */
  audio(chunk: Uint8Array): void;
  /** The speech so far is one item of the history: a `transcript` with this id follows, unless the session ends. */
  commit(itemId: string): void;
  /** Replaces instructions and tools. No effect on what is being said. */
  instruct(prompt: RealtimePrompt): void;
  /** Adds an item. Only with `edits` is the place heeded; without, it is the last one. */
  add(item: RealtimeItem, place: ItemPlace): void;
  /** Removes an item; only with `edits`. */
  remove(itemId: string): void;
  /** Cuts a spoken item after so much of its audio, its words with it; only with `edits`. */
  truncate(itemId: string, playedMs: number): void;
  /** Asks for a reply to the history; events of it carry this id. One at a time: another one waits for its end. */
  reply(request: RealtimeReplyRequest): void;
  /** Stops a reply. No event of it follows but `usage`. */
  cancel(replyId: string): void;
  /** Idempotent; no event follows. */
  close(): Promise<void>;
}

export interface RealtimeCapabilities {
  /** Items of its history can be removed, cut and put between others. */
  edits: boolean;
  /** It can answer in text only, for the agent's own voice. */
  textOutput: boolean;
  /** How long a session may last, in milliseconds; a new one takes over before. */
  maxSessionMs: number;
}

export interface RealtimePrompt {
  instructions: string;
  tools: ToolDefinition[];
}

export type RealtimeItem = { id: string } & (
  | { type: 'message'; role: 'user' | 'assistant' | 'system'; text: string }
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'tool_result'; callId: string; name: string; result: string }
);

/** Where an item is put in the history. */
export type ItemPlace = 'first' | 'last' | { after: string };

export interface RealtimeReplyRequest {
  replyId: string;
  /** Tokens of the longest reply, those of its audio among them. */
  maxTokens: number;
  /** False: it has to answer without calling a tool. */
  mayCallTools: boolean;
}

export type RealtimeEvent =
  /** Words of an item before it is committed, or before its transcript is final: all of them so far. */
  | { type: 'partial'; text: string }
  /** What was said in an item; '' when it held no words, null when it could not be transcribed. */
  | { type: 'transcript'; itemId: string; text: string | null }
  /** With its own turn detection: the caller's turn began, and ended as this item. */
  | { type: 'turn_started' }
  | { type: 'turn_ended'; itemId: string }
  /** Whole samples of one spoken item. The bytes are valid until the listener returns. */
  | { type: 'audio'; replyId: string; itemId: string; bytes: Uint8Array }
  /** The reply has this item, before anything of it. */
  | { type: 'item'; replyId: string; itemId: string }
  | { type: 'text'; replyId: string; itemId: string; text: string }
  | { type: 'tool_call'; replyId: string; itemId: string; call: ToolCall }
  /** The last event of a reply. `failure` only where nothing more could be generated. */
  | { type: 'reply_ended'; replyId: string; failure: { kind: ProviderFailure; message: string } | null }
  | { type: 'usage'; tokens: RealtimeTokens }
  /** The manifest's `transcriptionModel` has transcribed so much of the caller. */
  | { type: 'transcribed'; seconds: number }
  /** The provider will end the session after so long. */
  | { type: 'expires'; inMs: number }
  /** The last event, at most once. */
  | { type: 'failed'; error: ProviderError };

export type RealtimeListener = (event: RealtimeEvent) => void;

export interface RealtimeOptions {
  /** The agent's model, with all of its settings filled in. */
  llm: RealtimeLlm;
  /** Language of the caller, as a hint for the transcripts; empty when unknown. */
  language: string;
  /** The prompt that the session begins with. */
  prompt: RealtimePrompt;
  /** What the call carries. */
  callerFormat: AudioFormat;
  agentFormat: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: RealtimeListener;
}

/** The agent's `llm` where its model speaks. */
export type RealtimeLlm = AgentConfig['llm'] & { realtime: RealtimeSettings };

/** Opens a session. The file that a manifest names as its adapter exports one of these as `adapter`. */
export type RealtimeAdapter<Manifest extends RealtimeManifest> = (
  options: RealtimeOptions & { settings: SettingsOf<Manifest> },
) => RealtimeModel;
