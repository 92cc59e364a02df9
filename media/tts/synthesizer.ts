import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { SettingsOf, SynthesizerManifest } from '../../shared/providers/manifest.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ProviderError } from '../provider/provider-error.ts';

/**
 * Text to speech, streaming. One voice serves one call. Every reply speaks in a context of its own, named by the
 * call; whatever arrives for a context that was cancelled is dropped here, whatever the provider still sends.
 */
export interface Synthesizer {
  readonly provider: string;
  readonly model: string;
  /** What `audio` events carry: the leg's own format where the provider offers it. */
  readonly output: AudioFormat;
  /** Connects ahead of the first word. Rejects with ProviderError. */
  open(): Promise<void>;
  /** Speaks this piece next in the context, at once: it is a clause or a sentence, with its own closing space. */
  speak(contextId: string, text: string): void;
  /** No more text in this context: `done` follows when all its audio was given. */
  end(contextId: string): void;
  /** Forget the context. No event of it follows. */
  cancel(contextId: string): void;
  /** Idempotent; no event follows. */
  close(): Promise<void>;
}

export type SynthesizerEvent =
  /** Any number of bytes in `output`, not aligned to frames; whole samples. Valid only during the call. */
  | { type: 'audio'; contextId: string; bytes: Uint8Array }
  /**
   * Where characters lie in the context's audio: `text` is the stretch of the spoken text, `startMs[i]` when its
   * i-th character begins, measured from the start of the context's audio. Sent before or with the audio it describes.
   */
  | { type: 'timing'; contextId: string; text: string; startMs: number[] }
  | { type: 'done'; contextId: string }
  /** With a context: that context is lost. Without: the whole connection. */
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
