import { beforeEach, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError, type ProviderFailure } from '../../../media/provider/provider-error.ts';
import {
  createFallbackTranscriber,
  type FallbackTranscriber,
  type TranscriberChoice,
} from '../../../media/stt/fallback-transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** A fake transcriber: what it was given, and how to make it emit events. */
interface FakeTranscriber {
  received: number[];
  finalized: number;
  closed: boolean;
  emit(event: TranscriberEvent): void;
  opened(error?: ProviderError): void;
}

let clock: VirtualClock;
let fakes: FakeTranscriber[];
let events: string[];
let full: Set<string>;
let outcomes: string[];
const log = createLogger('test', 'fatal');
const error = (kind: ProviderFailure = 'unavailable') => new ProviderError('x', kind, 'gone');

beforeEach(() => {
  clock = createVirtualClock();
  fakes = [];
  events = [];
  full = new Set();
  outcomes = [];
});

function choice(provider: string, decidesTurns = true, opensAtOnce = true): TranscriberChoice {
  return {
    name: { provider, model: 'm', language: 'en' },
    account: provider,
    decidesTurns,
    create(emit) {
      let opened: FakeTranscriber['opened'] = () => {};
      const open = new Promise<void>((resolve, reject) => {
        opened = (error) => (error ? reject(error) : resolve());
      });
      if (opensAtOnce) opened();
      const fake: FakeTranscriber = { received: [], finalized: 0, closed: false, emit, opened };
      fakes.push(fake);
      const transcriber: Transcriber = {
        provider,
        model: 'm',
        input: MULAW_8K,
        decidesTurns,
        open: () => open,
        audio: (chunk) => void fake.received.push(...chunk.filter((_, index) => index % 160 === 0)),
        finalize: () => void fake.finalized++,
        close: async () => {
          fake.closed = true;
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
    watch() {},
    listener: (event) =>
      events.push('turn' in event ? `${event.type} ${event.turn} ${event.text}` : `${event.type} ${event.error.kind}`),
    onFallback: ({ reason, from, to }) => events.push(`${from.provider} → ${to.provider} (${reason})`),
    permits: {
      tryAcquire: (account) => (full.has(account) ? null : { release: () => void events.push(`${account} is free`) }),
      acquire: async () => null,
      reportRefusal: (account) => void events.push(`${account} is full`),
    },
    onCapacity: ({ from, to }) => events.push(`${from.provider} at its limit: ${to?.provider ?? 'goes on'}`),
    onOutcome: ({ provider }, failure) => outcomes.push(`${provider} ${failure?.kind ?? 'answered'}`),
    onActive: (transcriber) => events.push(`serving ${transcriber.provider}`),
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

test('audio from before the connection is sent in order once it is open', async () => {
  const chain = await chainOf(choice('a', true, false));
  const early = await speak(chain, 5);
  expect(fakes[0]!.received).toEqual([]);
  fakes[0]!.opened();
  await clock.advance(0);
  const later = await speak(chain, 4);
  expect(fakes[0]!.received).toEqual([...early, ...later]);
});

test('a fallback gets all audio that was not transcribed, and continues the turn it transcribes again', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  await speak(chain, 50);
  fakes[0]!.emit({ type: 'turn_started', turn: 0, text: 'book' });
  fakes[0]!.emit({ type: 'turn_ended', turn: 0, text: 'book a table' });
  const settled = 50 - 20;
  const untranscribed = await speak(chain, 30);
  fakes[0]!.emit({ type: 'turn_started', turn: 1, text: 'for' });
  fakes[0]!.emit({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(fakes[0]!.closed).toBe(true);
  expect(fakes[1]!.received.slice(50 - settled)).toEqual(untranscribed);
  expect(fakes[1]!.received).toHaveLength(50 - settled + 30);
  fakes[1]!.emit({ type: 'turn_started', turn: 0, text: 'for two' });
  fakes[1]!.emit({ type: 'turn_ended', turn: 0, text: 'for two people' });
  fakes[0]!.emit({ type: 'turn_ended', turn: 1, text: 'a late word of the dead' });
  expect(events.slice(-4)).toEqual([
    'serving b',
    'a → b (unavailable: gone)',
    'turn_started 1 for two',
    'turn_ended 1 for two people',
  ]);
});

test('a stable connection is opened again before a fallback is used', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  await speak(chain, 600);
  fakes[0]!.emit({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(events.filter((line) => line.startsWith('serving'))).toEqual(['serving a', 'serving a']);
  fakes[1]!.emit({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(chain.active.provider).toBe('b');
});

test.each(['auth', 'bad_request', 'capacity'] as const)(
  '%s switches to the fallback without a reconnect',
  async (kind) => {
    const chain = await chainOf(choice('a'), choice('b'));
    await speak(chain, 600);
    fakes[0]!.emit({ type: 'failed', error: error(kind) });
    await clock.advance(0);
    expect(chain.active.provider).toBe('b');
  },
);

test('final words that were requested are requested again', async () => {
  const chain = await chainOf(choice('a', false), choice('b', false));
  await speak(chain, 20);
  chain.finalize();
  expect(fakes[0]!.finalized).toBe(1);
  fakes[0]!.emit({ type: 'failed', error: error() });
  await clock.advance(0);
  expect(fakes[1]!.received).toHaveLength(20);
  expect(fakes[1]!.finalized).toBe(1);
});

test('a transcriber without final words has failed', async () => {
  const chain = await chainOf(choice('a', false), choice('b', false));
  await speak(chain, 20);
  chain.finalize();
  await clock.advance(2_500);
  expect(chain.active.provider).toBe('b');
  fakes[1]!.emit({ type: 'final', turn: 0, text: 'hello' });
  await clock.advance(10_000);
  expect(events.at(-1)).toBe('final 0 hello');
});

test('the last transcriber is waited for when its final words are late', async () => {
  const chain = await chainOf(choice('a', false));
  await speak(chain, 20);
  chain.finalize();
  await clock.advance(9_000);
  fakes[0]!.emit({ type: 'final', turn: 0, text: 'hello' });
  expect(events).toEqual(['serving a', 'final 0 hello']);
});

test('the last transcriber is connected again when final words were requested three times in vain, and fails after three connections', async () => {
  const chain = await chainOf(choice('a', false));
  for (let request = 1; events.at(-1) !== 'failed timeout'; request++) {
    await speak(chain, 20);
    chain.finalize();
    await clock.advance(5_000);
    expect(fakes.length).toBe(request < 3 ? 1 : Math.max(2, fakes.length));
    expect(request).toBeLessThan(10);
  }
  expect(fakes).toHaveLength(3);
});

test('the last transcriber is opened again for ten seconds, with growing waits, and is given all audio of the gap', async () => {
  const chain = await chainOf(choice('a', true, false));
  fakes[0]!.opened();
  const before = await speak(chain, 10);
  fakes[0]!.emit({ type: 'failed', error: error() });
  const spoken = speak(chain, 700);
  for (let attempt = 1; attempt <= 4; attempt++) {
    await clock.advance(0);
    while (fakes.length === attempt) await clock.advance(10);
    if (attempt < 4) fakes[attempt]!.opened(error());
  }
  const waitedMs = clock.now() - 200;
  expect(waitedMs).toBeGreaterThan(3_000);
  fakes[4]!.opened();
  const gap = await spoken;
  await clock.advance(0);
  expect(fakes[4]!.received).toEqual([...before, ...gap].slice(0, fakes[4]!.received.length));
  expect(fakes[4]!.received.length).toBeGreaterThan(700);
  expect(events.filter((event) => event.startsWith('failed'))).toEqual([]);
});

test('the last transcriber that stays away has failed after ten seconds', async () => {
  await chainOf(choice('a', true, false));
  for (let attempt = 0; events.length === fakes.length; attempt++) {
    fakes[attempt]!.opened(error());
    await clock.advance(2_000);
    expect(attempt).toBeLessThan(20);
  }
  expect(events.at(-1)).toBe('failed unavailable');
  expect(clock.now()).toBeGreaterThanOrEqual(10_000);
  expect(clock.pending()).toBe(0);
});

test('a connection that does not come back within two seconds is not waited for where there is a fallback', async () => {
  const chain = await chainOf(choice('a', true, false), choice('b'));
  fakes[0]!.opened();
  await speak(chain, 600);
  fakes[0]!.emit({ type: 'failed', error: error('timeout') });
  await clock.advance(1_900);
  expect(chain.active.provider).toBe('a');
  await clock.advance(200);
  expect(chain.active.provider).toBe('b');
});

test('the last transcriber without words for speech is connected again once, and the call goes on', async () => {
  const chain = await chainOf(choice('a'));
  await speak(chain, 600);
  for (let stretch = 0; stretch < 6; stretch++) {
    chain.speechEnded(2_000);
    await clock.advance(3_000);
  }
  expect(fakes.length).toBeGreaterThan(1);
  expect(events.filter((event) => event.startsWith('failed'))).toEqual([]);
});

test('a television in the background for an hour connects the last transcriber again once, and says nothing of its health', async () => {
  const chain = await chainOf(choice('a'));
  for (let stretch = 0; stretch < 600; stretch++) {
    chain.speechEnded([900, 4_000, 12_000, 40_000][stretch % 4]!);
    await clock.advance(6_000);
  }
  expect([fakes.length, outcomes]).toEqual([2, []]);
  expect(events.filter((event) => event.startsWith('failed'))).toEqual([]);
});

test('every connection counts once for its provider’s health: with its first words, or failed', async () => {
  await chainOf(choice('a'), choice('b'));
  fakes[0]!.emit({ type: 'turn_started', turn: 0, text: 'one' });
  fakes[0]!.emit({ type: 'turn_ended', turn: 0, text: 'one two' });
  fakes[0]!.emit({ type: 'failed', error: error() });
  await clock.advance(0);
  fakes[1]!.emit({ type: 'turn_started', turn: 0, text: 'three' });
  expect(outcomes).toEqual(['a answered', 'a unavailable', 'b answered']);
});

test('a transcriber without words for two stretches of speech is connected again, then replaced; one, or a cough, does not count', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  for (const ms of [300, 2_000]) {
    chain.speechEnded(ms);
    await clock.advance(5_000);
  }
  expect(fakes).toHaveLength(1);
  chain.speechEnded(2_000);
  await clock.advance(4_000);
  expect([chain.active.provider, fakes.length]).toEqual(['a', 2]);
  for (let stretch = 0; stretch < 2; stretch++) {
    chain.speechEnded(2_000);
    await clock.advance(3_000);
  }
  expect(chain.active.provider).toBe('b');
});

test('the failure of the last transcriber is emitted once', async () => {
  const chain = await chainOf(choice('a'), choice('b'));
  fakes[0]!.emit({ type: 'failed', error: error() });
  await clock.advance(0);
  fakes[1]!.emit({ type: 'failed', error: error('auth') });
  fakes[1]!.emit({ type: 'failed', error: error('auth') });
  await speak(chain, 3);
  expect(events.filter((line) => line.startsWith('failed'))).toEqual(['failed auth']);
});

test('a transcriber that cannot be created is skipped', async () => {
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
  expect(events[0]).toBe('none → b (auth: no key)');
});

test('close stops every deadline', async () => {
  const chain = await chainOf(choice('a', false), choice('b', false));
  chain.finalize();
  await chain.close();
  expect(clock.pending()).toBe(0);
  fakes[0]!.emit({ type: 'final', turn: 0, text: 'late' });
  expect(events).toEqual(['serving a', 'a is free']);
});

test('an account at its limit is replaced by a fallback, or used anyway where none has a permit', async () => {
  full.add('a');
  const chain = await chainOf(choice('a'), choice('b'));
  expect(events).toEqual(['a at its limit: b', 'serving b']);
  await chain.close();
  expect(events.at(-1)).toBe('b is free');
  events = [];
  full.add('b');
  await chainOf(choice('a'), choice('b'));
  expect(events).toEqual(['a at its limit: goes on', 'serving a']);
});

test('a fallback at the start has a permit of its own account, and the first permit is released', async () => {
  const chain = await chainOf(
    {
      ...choice('a'),
      create: () => {
        throw error('auth');
      },
    },
    choice('b'),
  );
  expect(events).toEqual(['a → b (auth: gone)', 'a is free', 'serving b']);
  await chain.close();
  expect(events.at(-1)).toBe('b is free');
});

/** How many frames had been sent after each of so many. */
async function sentAfter(chain: FallbackTranscriber, frames: number): Promise<number[]> {
  const [fake] = fakes;
  const counts: number[] = [];
  const before = fake!.received.length;
  for (let i = 0; i < frames; i++) {
    await speak(chain, 1);
    counts.push(fake!.received.length - before);
  }
  return counts;
}

test('frames are sent one by one while the caller may have a turn, and four at a time while nobody speaks', async () => {
  const chain = await chainOf(choice('a'));
  const [fake] = fakes;
  expect(await sentAfter(chain, 9)).toEqual([0, 0, 0, 4, 4, 4, 4, 8, 8]);
  chain.speech(true);
  expect(fake!.received).toHaveLength(9);
  expect(await sentAfter(chain, 3)).toEqual([1, 2, 3]);
  // The words come after voice activity has ended.
  chain.speech(false);
  expect(await sentAfter(chain, 2)).toEqual([1, 2]);
  fake!.emit({ type: 'partial', turn: 0, text: 'hello' });
  expect((await sentAfter(chain, 120)).at(-1)).toBe(120);
  fake!.emit({ type: 'turn_ended', turn: 0, text: 'hello' });
  expect(await sentAfter(chain, 5)).toEqual([0, 0, 0, 4, 4]);
  // Words without voice activity.
  fake!.emit({ type: 'partial', turn: 1, text: 'and' });
  expect(await sentAfter(chain, 2)).toEqual([2, 3]);
});
