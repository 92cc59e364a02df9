import { beforeEach, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError, type ProviderFailure } from '../../../media/provider/provider-error.ts';
import { createFallbackTranscriber, type TranscriberChoice } from '../../../media/stt/fallback-transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** A transcriber of the test: what it was given, and its mouth. */
interface Ear {
  heard: number[];
  finalized: number;
  closed: boolean;
  tell(event: TranscriberEvent): void;
  opened(error?: ProviderError): void;
}

let clock: VirtualClock;
let ears: Ear[];
let told: string[];
let full: Set<string>;
const log = createLogger('test', 'fatal');
const error = (kind: ProviderFailure = 'unavailable') => new ProviderError('x', kind, 'gone');

beforeEach(() => {
  clock = createVirtualClock();
  ears = [];
  told = [];
  full = new Set();
});

function choice(provider: string, decidesTurns = true, opensAtOnce = true): TranscriberChoice {
  return {
    name: { provider, model: 'm', language: 'en' },
    account: provider,
    decidesTurns,
    create(tell) {
      let opened: Ear['opened'] = () => {};
      const open = new Promise<void>((resolve, reject) => {
        opened = (error) => (error ? reject(error) : resolve());
      });
      if (opensAtOnce) opened();
      const ear: Ear = { heard: [], finalized: 0, closed: false, tell, opened };
      ears.push(ear);
      const transcriber: Transcriber = {
        provider,
        model: 'm',
        input: MULAW_8K,
        decidesTurns,
        open: () => open,
        audio: (chunk) => void ear.heard.push(...chunk.filter((_, index) => index % 160 === 0)),
        finalize: () => void ear.finalized++,
        close: async () => {
          ear.closed = true;
        },
      };
      return transcriber;
    },
  };
}

async function chainOf(...choices: TranscriberChoice[]) {
  const chain = createFallbackTranscriber({
    choices,
    inputFormat: MULAW_8K,
    clock,
    log,
    listener: (event) =>
      told.push('turn' in event ? `${event.type} ${event.turn} ${event.text}` : `${event.type} ${event.error.kind}`),
    onFallback: ({ reason, from, to }) => told.push(`${from.provider} → ${to.provider} (${reason})`),
    permits: {
      tryAcquire: (account) => (full.has(account) ? null : { release: () => void told.push(`${account} is free`) }),
      acquire: async () => null,
      reportRefusal: (account) => void told.push(`${account} is full`),
    },
    onCapacity: ({ from, to }) => told.push(`${from.provider} at its limit: ${to?.provider ?? 'goes on'}`),
    onActive: (transcriber) => told.push(`serving ${transcriber.provider}`),
  });
  void chain.open();
  await clock.advance(0);
  return chain;
}

let frame = 0;
async function speak(chain: { audio(chunk: Uint8Array): void }, frames: number): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < frames; i++) {
    frame = (frame + 1) % 250;
    values.push(frame);
    chain.audio(new Uint8Array(160).fill(frame));
    await clock.advance(20);
  }
  return values;
}

test('sound from before the connection is heard in order once it is there', async () => {
  const chain = await chainOf(choice('a', true, false));
  const early = await speak(chain, 5);
  expect(ears[0]!.heard).toEqual([]);
  ears[0]!.opened();
  await clock.advance(0);
  const later = await speak(chain, 5);
  expect(ears[0]!.heard).toEqual([...early, ...later]);
});

test('who takes over hears everything that was not understood, and goes on with the turn it hears again', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  await speak(chain, 50);
  ears[0]!.tell({ type: 'turn_started', turn: 0, text: 'book' });
  ears[0]!.tell({ type: 'turn_ended', turn: 0, text: 'book a table' });
  const settled = 50 - 20;
  const unheard = await speak(chain, 30);
  ears[0]!.tell({ type: 'turn_started', turn: 1, text: 'for' });
  ears[0]!.tell({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(ears[0]!.closed).toBe(true);
  expect(ears[1]!.heard.slice(50 - settled)).toEqual(unheard);
  expect(ears[1]!.heard).toHaveLength(50 - settled + 30);
  ears[1]!.tell({ type: 'turn_started', turn: 0, text: 'for two' });
  ears[1]!.tell({ type: 'turn_ended', turn: 0, text: 'for two people' });
  ears[0]!.tell({ type: 'turn_ended', turn: 1, text: 'a late word of the dead' });
  expect(told.slice(-4)).toEqual([
    'serving b',
    'a → b (unavailable: gone)',
    'turn_started 1 for two',
    'turn_ended 1 for two people',
  ]);
});

test('a connection that lasted is made anew before another one is asked', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  await speak(chain, 600);
  ears[0]!.tell({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(told.filter((line) => line.startsWith('serving'))).toEqual(['serving a', 'serving a']);
  ears[1]!.tell({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(chain.active.provider).toBe('b');
});

test.each(['auth', 'bad_request', 'capacity', 'timeout'] as const)(
  '%s is no reason to try the same again',
  async (kind) => {
    const chain = await chainOf(choice('a'), choice('b'));
    await speak(chain, 600);
    ears[0]!.tell({ type: 'failed', error: error(kind) });
    await clock.advance(0);
    expect(chain.active.provider).toBe('b');
  },
);

test('final words that were asked for are asked for again', async () => {
  const chain = await chainOf(choice('a', false), choice('b', false));
  await speak(chain, 20);
  chain.finalize();
  expect(ears[0]!.finalized).toBe(1);
  ears[0]!.tell({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(ears[1]!.heard).toHaveLength(20);
  expect(ears[1]!.finalized).toBe(1);
});

test('one that gives no final words has failed', async () => {
  const chain = await chainOf(choice('a', false), choice('b', false));
  await speak(chain, 20);
  chain.finalize();
  await clock.advance(2_500);
  expect(chain.active.provider).toBe('b');
  ears[1]!.tell({ type: 'final', turn: 0, text: 'hello' });
  await clock.advance(10_000);
  expect(told.at(-1)).toBe('final 0 hello');
});

test('one that has no words for speech, twice, has failed; once, or a cough, is nothing', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  for (const ms of [300, 2_000]) {
    chain.speechEnded(ms);
    await clock.advance(5_000);
  }
  expect(chain.active.provider).toBe('a');
  chain.speechEnded(2_000);
  await clock.advance(5_000);
  expect(chain.active.provider).toBe('b');
});

test('when nobody is left the call is told, once', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  ears[0]!.tell({ type: 'failed', error: error() });
  await clock.advance(0);
  ears[1]!.tell({ type: 'failed', error: error('auth') });
  ears[1]!.tell({ type: 'failed', error: error('auth') });
  await speak(chain, 3);
  expect(told.filter((line) => line.startsWith('failed'))).toEqual(['failed auth']);
});

test('one that cannot be had at all is passed over', async () => {
  const none: TranscriberChoice = {
    name: { provider: 'none', model: '', language: '' },
    account: '',
    decidesTurns: true,
    create() {
      throw new ProviderError('none', 'auth', 'no key');
    },
  };
  const chain = await chainOf(none, choice('b'));
  expect(chain.active.provider).toBe('b');
  expect(told[0]).toBe('none → b (auth: no key)');
});

test('closing ends every wait', async () => {
  const chain = await chainOf(choice('a', false), choice('b', false));
  chain.finalize();
  await chain.close();
  expect(clock.pending()).toBe(0);
  ears[0]!.tell({ type: 'final', turn: 0, text: 'late' });
  expect(told).toEqual(['serving a', 'a is free']);
});

test('an account at its limit lets another one take the call, or goes on where none has room', async () => {
  full.add('a');
  const chain = await chainOf(choice('a'), choice('b'));
  expect(told).toEqual(['a at its limit: b', 'serving b']);
  await chain.close();
  expect(told.at(-1)).toBe('b is free');
  told = [];
  full.add('b');
  await chainOf(choice('a'), choice('b'));
  expect(told).toEqual(['a at its limit: goes on', 'serving a']);
});

test('who takes over at the beginning has a place at its own account, and the first one gives its place back', async () => {
  const chain = await chainOf(
    {
      ...choice('a'),
      create: () => {
        throw error('auth');
      },
    },
    choice('b'),
  );
  expect(told).toEqual(['a → b (auth: gone)', 'a is free', 'serving b']);
  await chain.close();
  expect(told.at(-1)).toBe('b is free');
});
