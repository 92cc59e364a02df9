import { beforeEach, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import {
  createStreamingSynthesizer,
  FIRST_AUDIO_DEADLINE_MS,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from '../../../media/tts/streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const lost = new ProviderError('p', 'unavailable', 'connection lost');

let clock: VirtualClock;
let core: SynthesizerCore<SynthesisContext>;
let transport: SynthesisTransport<SynthesisContext>;
let contexts: SynthesisContext[];
let released: string[];
let events: SynthesizerEvent[];
let onEvent: (event: SynthesizerEvent) => void;
let synthesizer: Synthesizer;

/** A transport whose provider never sends anything by itself. */
beforeEach(() => {
  clock = createVirtualClock();
  contexts = [];
  released = [];
  events = [];
  onEvent = () => {};
  transport = {
    open: async () => {},
    close: async () => {},
    createContext(base) {
      contexts.push(base);
      return base;
    },
    speak: (context) => core.expectAudio(context),
    end: (context) => core.expectAudio(context),
    cancel() {},
    release: ({ id }) => void released.push(id),
    isIdle: () => false,
    isOwed: () => true,
  };
  const log = createLogger('test', 'silent');
  synthesizer = createStreamingSynthesizer(
    'p',
    {
      ...{ model: 'm', output: MULAW_8K, clock, log },
      listener(event) {
        events.push(event);
        onEvent(event);
      },
    },
    (given) => {
      core = given;
      return transport;
    },
  );
});

test('a context cancelled while another one fails does not fail too', () => {
  for (const id of ['a', 'b']) synthesizer.speak(id, 'Hello. ');
  onEvent = () => synthesizer.cancel('b');
  for (const context of contexts) core.fail(context, lost);
  expect(events).toEqual([{ type: 'failed', contextId: 'a', error: lost }]);
  expect(released).toEqual(['a', 'b']);
  expect(clock.pending()).toBe(0);
});

test('a cancellation that finds the connection lost reports the connection only', async () => {
  synthesizer.speak('a', 'Hello. ');
  transport.cancel = () => core.failAll(lost);
  await clock.advance(FIRST_AUDIO_DEADLINE_MS);
  expect(events).toEqual([{ type: 'failed', contextId: null, error: lost }]);
  expect(released).toEqual(['a']);
});

test('the loss of the connection is reported once, and releases every context', () => {
  for (const id of ['a', 'b']) synthesizer.speak(id, 'Hello. ');
  core.failAll(lost);
  core.failAll(lost);
  synthesizer.speak('c', 'Too late. ');
  expect(events).toEqual([{ type: 'failed', contextId: null, error: lost }]);
  expect(released).toEqual(['a', 'b']);
  expect(clock.pending()).toBe(0);
});

test('nothing starts a deadline for a context that is over', () => {
  synthesizer.speak('a', 'Hello. ');
  const [context] = contexts;
  synthesizer.cancel('a');
  core.expectAudio(context!);
  core.watch(context!);
  core.audio(context!, 'AAAA');
  expect(events).toEqual([]);
  expect(clock.pending()).toBe(0);
});
