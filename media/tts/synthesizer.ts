import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { SettingsOf, SynthesizerManifest } from '../../shared/providers/manifest.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ProviderError } from '../provider/provider-error.ts';

/**
 * Streaming text to speech for one call. Every reply is spoken in a context of its own, whose id the call chooses. After a
 * context was cancelled no event of it follows, whatever the provider still sends.
 */
export interface Synthesizer {
  readonly provider: string;
  readonly model: string;
  /** Format of `audio` events: the call's own where the provider offers it. */
  readonly output: AudioFormat;
  /** Connects before the first text. Rejects with ProviderError. */
  open(): Promise<void>;
  /** Speaks this segment next in the context, at once: a clause or a sentence with the space that follows it. */
  speak(contextId: string, text: string): void;
  /** The context's text is complete: `done` follows when all of its audio was emitted. */
  end(contextId: string): void;
  /** Drops the context. No event of it follows. */
  cancel(contextId: string): void;
  /** So much of the context was played out, and no more will be. For a model that speaks itself: it has to know. */
  playedOut?(contextId: string, ms: number): void;
  /** Idempotent; no event follows. */
  close(): Promise<void>;
}

export type SynthesizerEvent =
  /** Whole samples in `output`, not aligned to frames. `bytes` is valid only until the listener returns. */
  | { type: 'audio'; contextId: string; bytes: Uint8Array }
  /**
   * Positions of characters in the context's audio: `text` is the next part of the spoken text, and `startMs[i]` where its
   * i-th UTF-16 unit begins, in ms from the start of the context's audio. Emitted before or with the audio it describes.
   */
  | { type: 'timing'; contextId: string; text: string; startMs: number[] }
  | { type: 'done'; contextId: string }
  /** With a context, that context is lost; with null, the whole synthesizer. */
  | { type: 'failed'; contextId: string | null; error: ProviderError };

export type SynthesizerListener = (event: SynthesizerEvent) => void;

/** Opens a synthesizer for one call. The file that a manifest names as its adapter exports one of these as `adapter`. */
export type SynthesizerAdapter<Manifest extends SynthesizerManifest> = (options: {
  settings: SettingsOf<Manifest>;
  /** The agent's settings; `model` is filled in. */
  voice: AgentConfig['voice'];
  /** What the call carries. */
  output: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
}) => Synthesizer;
