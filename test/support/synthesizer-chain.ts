import { type AudioFormat, MULAW_8K } from '../../media/audio/format.ts';
import type { ConcurrencyPermit } from '../../media/provider/concurrency-permits.ts';
import type { ProviderError } from '../../media/provider/provider-error.ts';
import {
  createFallbackSynthesizer,
  type FallbackSynthesizer,
  type SynthesizerChoice,
} from '../../media/tts/fallback-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** A synthesizer that records what it was requested to speak; the test emits its events. */
export interface FakeSynthesizer {
  provider: string;
  requests: string[];
  closed: boolean;
  emit(event: SynthesizerEvent): void;
}

/** Fallback synthesizers over fakes, on the virtual clock, and what became of them. */
export interface SynthesizerChain {
  clock: VirtualClock;
  /** In the order in which they were created. */
  fakes: FakeSynthesizer[];
  /** `done`, failures, fallbacks and limits, in order. */
  reported: string[];
  /** What was said of the providers' health, in order. */
  outcomes: string[];
  timings: { text: string; startMs: number[] }[];
  audioMs: number;
  /** By account; one that is missing has no limit. */
  permitsLeft: Record<string, number>;
  waiting: { account: string; wake(): void }[];
  /** Runs at every audio event. */
  onAudio(): void;
  /** Connections to these providers are refused with this error. */
  refused: Map<string, ProviderError>;
  choice(provider: string, output?: AudioFormat): SynthesizerChoice;
  open(...choices: SynthesizerChoice[]): FallbackSynthesizer;
}

export function createSynthesizerChain(): SynthesizerChain {
  const clock = createVirtualClock();

  function tryAcquire(account: string): ConcurrencyPermit | null {
    const { permitsLeft } = chain;
    if (permitsLeft[account] === 0) return null;
    if (account in permitsLeft) permitsLeft[account]!--;
    return {
      release() {
        if (account in permitsLeft) permitsLeft[account]!++;
      },
    };
  }

  const chain: SynthesizerChain = {
    clock,
    fakes: [],
    reported: [],
    outcomes: [],
    timings: [],
    audioMs: 0,
    permitsLeft: {},
    waiting: [],
    onAudio() {},
    refused: new Map(),

    choice: (provider, output = MULAW_8K) => ({
      name: { provider, model: 'm', voice_id: 'v', voice_name: '', language: 'en' },
      account: provider,
      create(emit) {
        const fake: FakeSynthesizer = { provider, requests: [], closed: false, emit };
        chain.fakes.push(fake);
        const synthesizer: Synthesizer = {
          provider,
          model: 'm',
          output,
          async open() {
            const refusal = chain.refused.get(provider);
            if (refusal) throw refusal;
          },
          speak: (id, text) => void fake.requests.push(`${id}: ${text}`),
          end: (id) => void fake.requests.push(`${id} ends`),
          cancel: (id) => void fake.requests.push(`${id} cancelled`),
          close: async () => {
            fake.closed = true;
          },
        };
        return synthesizer;
      },
    }),

    open(...choices) {
      const synthesizer = createFallbackSynthesizer({
        choices,
        outputFormat: MULAW_8K,
        clock,
        log: createLogger('test', 'fatal'),
        watch() {},
        listener(event) {
          if (event.type === 'audio') {
            chain.audioMs += event.bytes.length / 8;
            chain.onAudio();
          } else if (event.type === 'timing') chain.timings.push({ text: event.text, startMs: [...event.startMs] });
          else chain.reported.push(event.type === 'done' ? `done ${event.contextId}` : `failed ${event.error.kind}`);
        },
        permits: {
          tryAcquire,
          acquire: (account, waitMs) =>
            new Promise((resolve) => {
              const timer = clock.after(waitMs, () => resolve(tryAcquire(account)));
              chain.waiting.push({ account, wake: () => [timer.cancel(), resolve(tryAcquire(account))] });
            }),
          reportRefusal: (account) => void chain.reported.push(`${account} is full`),
        },
        onFallback: ({ from, to }) => chain.reported.push(`${from.provider} → ${to.provider}`),
        onCapacity: ({ from, to }) =>
          chain.reported.push(`${from.provider} at its limit: ${to?.provider ?? 'no permit'}`),
        onOutcome: ({ provider }, failure) => chain.outcomes.push(`${provider} ${failure?.kind ?? 'answered'}`),
      });
      void synthesizer.open();
      return synthesizer;
    },
  };
  return chain;
}

export const audio = (contextId: string, ms: number): SynthesizerEvent => ({
  type: 'audio',
  contextId,
  bytes: new Uint8Array(ms * 8).fill(0x55),
});

/** 100 ms a character. */
export const timing = (contextId: string, text: string, fromMs = 0): SynthesizerEvent => ({
  type: 'timing',
  contextId,
  text,
  startMs: Array.from(text, (_, index) => fromMs + index * 100),
});
