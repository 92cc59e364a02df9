import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { guardSynthesizer, guardTranscriber } from '../../../media/call/guarded-provider.ts';
import { createProviderSocket } from '../../../media/provider/socket.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import type { SynthesizerChoice } from '../../../media/tts/fallback-synthesizer.ts';
import type { Synthesizer } from '../../../media/tts/synthesizer.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createSynthesizerChain } from '../../support/synthesizer-chain.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** An unexpected error in an adapter is a failure of its connection and of nothing else. */

const log = createLogger('test', 'silent');
const explode = () => {
  throw new TypeError('nobody expected this');
};

function guarded(create: (clock: Clock) => Partial<Transcriber>, clock: Clock = createVirtualClock()) {
  const events: TranscriberEvent[] = [];
  const transcriber = guardTranscriber(
    { provider: 'p', clock, log, listener: (event) => events.push(event) },
    (given) => ({
      ...{ provider: 'p', model: 'm', input: MULAW_8K, decidesTurns: true },
      ...{ open: async () => {}, audio() {}, finalize() {}, close: async () => {} },
      ...create(given),
    }),
  );
  const failures = () => events.map((event) => event.type === 'failed' && event.error.message);
  return { transcriber, failures };
}

describe('an unexpected error', () => {
  test('in a timer fails the connection once, closes it, and its other timers no longer run', async () => {
    const clock = createVirtualClock();
    const happened: string[] = [];
    const { failures } = guarded((given) => {
      given.after(100, explode);
      given.after(200, () => happened.push('timer'));
      return { close: async () => void happened.push('closed') };
    }, clock);
    await clock.advance(1_000);
    expect(failures()).toEqual(['unexpected error in its adapter']);
    expect(happened).toEqual(['closed']);
  });

  test('in a method fails the connection after the call of it, and later calls do nothing', async () => {
    const clock = createVirtualClock();
    let calls = 0;
    const audio = () => {
      calls++;
      explode();
    };
    const { transcriber, failures } = guarded(() => ({ audio }), clock);
    transcriber.audio(new Uint8Array(160));
    transcriber.audio(new Uint8Array(160));
    expect([calls, failures()]).toEqual([1, []]);
    await clock.advance(0);
    expect(failures()).toHaveLength(1);
  });

  test('while it is closed rejects nothing', async () => {
    const { transcriber, failures } = guarded(() => ({ close: () => Promise.reject(new Error('gone')) }));
    await transcriber.close();
    expect(failures()).toEqual([]);
  });

  test('in the synthesizer of a reply has the reply spoken by another connection', async () => {
    const chain = createSynthesizerChain();
    const { create, ...choice } = chain.choice('a');
    let connections = 0;
    const faulty: SynthesizerChoice = {
      ...choice,
      create: (listener) =>
        guardSynthesizer({ provider: 'a', clock: chain.clock, log, listener }, (): Synthesizer => {
          const synthesizer = create(listener);
          return ++connections === 1 ? { ...synthesizer, speak: explode } : synthesizer;
        }),
    };
    const synthesizer = chain.open(faulty);
    synthesizer.speak('r1', 'one two. ');
    await chain.clock.advance(500);
    expect(chain.fakes[1]!.requests).toEqual(['r1~1: one two. ']);
    expect(chain.reported).toEqual([]);
  });
});

describe('an unexpected error in the handler of a real socket', () => {
  const server = new WebSocketServer({ port: 0 });
  afterEach(() => server.close());

  test('that gets its own failure fails the connection', async () => {
    if (!server.address()) await once(server, 'listening');
    server.on('connection', (socket) => socket.close(1011));
    const url = `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
    const { transcriber, failures } = guarded((clock) => {
      const socket = createProviderSocket({ provider: 'p', url, clock, onText() {}, onFailed: explode });
      return { open: socket.open, close: () => socket.close() };
    }, systemClock);
    await transcriber.open();
    await until(() => failures().length === 1);
    await transcriber.close();
  });
});
