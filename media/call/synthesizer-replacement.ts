import { asProviderError, type ProviderError } from '../provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent } from '../tts/synthesizer.ts';

/** Consecutive synthesizers, each with all its fallbacks, lost without audio before the call ends. */
const MAX_SYNTHESIZERS_LOST = 3;

/** The synthesizer of one call, which the conversation replaces when its connection is lost. */
export interface CallSynthesizer {
  readonly current: Synthesizer;
  /** Connects the current one. */
  open(): void;
  /** Closes the current one and connects another. */
  replace(): void;
  /** Takes the events of the current one. */
  onEvent(event: SynthesizerEvent): void;
  close(): Promise<void>;
}

export interface CallSynthesizerOptions {
  create(): Synthesizer;
  onEvent(event: SynthesizerEvent): void;
  /** Too many were lost: the call has no synthesizer. */
  onExhausted(error: ProviderError): void;
}

export function createCallSynthesizer({ create, onEvent, onExhausted }: CallSynthesizerOptions): CallSynthesizer {
  let current = create();
  let closed = false;
  /** Since the last audio. */
  let lost = 0;

  function open(): void {
    const opened = current;
    opened.open().catch((error) => {
      if (opened === current) take({ type: 'failed', contextId: null, error: asProviderError(error, opened.provider) });
    });
  }

  function take(event: SynthesizerEvent): void {
    if (closed) return;
    if (event.type === 'audio') lost = 0;
    // No reply counts attempts while the agent is silent: a provider that fails at once would be replaced for ever.
    if (event.type === 'failed' && event.contextId === null && ++lost === MAX_SYNTHESIZERS_LOST)
      onExhausted(event.error);
    else onEvent(event);
  }

  return {
    get current() {
      return current;
    },
    open,
    replace() {
      void current.close();
      current = create();
      open();
    },
    onEvent: take,
    close() {
      closed = true;
      return current.close();
    },
  };
}
