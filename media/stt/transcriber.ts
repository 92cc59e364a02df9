import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { SettingsOf, TranscriberManifest } from '../../shared/providers/manifest.ts';
import type { AudioFormat } from '../audio/format.ts';

/**
 * Speech to text, streaming. One transcriber serves one call and lives as long as it. It says what it heard; what
 * that means for the conversation is decided in `turn/`.
 */
export interface Transcriber {
  readonly provider: string;
  readonly model: string;
  /** The format `audio` wants. The call converts when its leg speaks another. */
  readonly input: AudioFormat;
  /** True: the provider decides turns itself (`turn_*` events). False: it only writes (`partial`, `final`). */
  readonly decidesTurns: boolean;
  /**
   * Connects. Resolves when audio may flow; audio given before is kept (at most 2 s) and sent then. Rejects with
   * ProviderError. Its deadline is its own.
   */
  open(): Promise<void>;
  /** Takes 20 ms or more; never waits, never throws. The bytes are not kept after the call returns. */
  audio(chunk: Uint8Array): void;
  /** The caller fell silent by voice activity: give the final words now. No effect where the provider decides turns. */
  finalize(): void;
  /** Idempotent; no event follows. */
  close(): Promise<void>;
}

/**
 * `turn` numbers the provider's turns from 0 within this transcriber; texts are cumulative within a turn, except
 * `final`, which is one finished segment of it. Moments are told by arrival; nothing here is a provider's clock.
 */
export type TranscriberEvent =
  | { type: 'turn_started'; turn: number; text: string }
  | { type: 'partial'; turn: number; text: string }
  | { type: 'turn_eager_end'; turn: number; text: string }
  | { type: 'turn_resumed'; turn: number; text: string }
  | { type: 'turn_ended'; turn: number; text: string }
  | { type: 'final'; turn: number; text: string }
  /** Nothing more will come; the call decides what to do. At most once. */
  | { type: 'failed'; error: import('../provider/provider-error.ts').ProviderError };

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
