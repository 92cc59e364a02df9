import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { SettingsOf, TranscriberManifest } from '../../shared/providers/manifest.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ProviderError } from '../provider/provider-error.ts';

/**
 * Streaming speech to text. One transcriber serves one call. What its events mean for the conversation is decided in
 * `turn/`.
 */
export interface Transcriber {
  readonly provider: string;
  readonly model: string;
  /** The format of `audio`. The call converts when its leg has another. */
  readonly input: AudioFormat;
  /** True: the provider detects turns (`turn_*` events). False: it only transcribes (`partial`, `final`). */
  readonly decidesTurns: boolean;
  /** From `finalize` to the final words, near its worst, where that differs from the provider's usual time. */
  readonly finalizationMs?: number;
  /**
   * Connects. Resolves when audio can be sent; up to 2 s of audio given before is buffered. Rejects with ProviderError,
   * within a deadline of its own.
   */
  open(): Promise<void>;
  /** Takes 20 ms or more; never waits, never throws. The bytes are not kept after the call returns. */
  audio(chunk: Uint8Array): void;
  /** Voice activity has begun or ended. Left out: it makes no difference. */
  speech?(active: boolean): void;
  /** Requests the final words now, as voice activity has ended. No effect where the provider detects turns. */
  finalize(): void;
  /** Idempotent; no event follows. */
  close(): Promise<void>;
}

/**
 * `turn` numbers the provider's turns from 0 within this transcriber; texts are cumulative within a turn, except
 * `final`, which is one finished segment. `language`: a tag, where the provider detects the language. Events carry no provider time: their time is their arrival.
 */
export type TranscriberEvent =
  | { type: 'turn_started'; turn: number; text: string }
  | { type: 'partial'; turn: number; text: string }
  | { type: 'turn_eager_end'; turn: number; text: string }
  | { type: 'turn_resumed'; turn: number; text: string }
  | { type: 'turn_ended'; turn: number; text: string; language?: string }
  | { type: 'final'; turn: number; text: string; language?: string }
  /** A model that hears has the turn's speech: it can be answered before its words, of which `text` has none, are known. */
  | { type: 'untranscribed'; turn: number; text: string }
  /** The last event, at most once. */
  | { type: 'failed'; error: ProviderError };

export type TranscriberListener = (event: TranscriberEvent) => void;

/** Opens a transcriber for one call. The file that a manifest names as its adapter exports one of these as `adapter`. */
export type TranscriberAdapter<Manifest extends TranscriberManifest> = (options: {
  settings: SettingsOf<Manifest>;
  /** The agent's settings; `model` is filled in. */
  transcriber: AgentConfig['transcriber'];
  /** What the call carries. */
  input: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}) => Transcriber;
