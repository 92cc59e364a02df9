import { beforeEach, describe, expect, test } from 'vitest';
import { ProviderError, type ProviderFailure } from '../../../media/provider/provider-error.ts';
import { PERMIT_WAIT_MS } from '../../../media/tts/fallback-synthesizer.ts';
import { audio, createSynthesizerChain, type SynthesizerChain, timing } from '../../support/synthesizer-chain.ts';

/** A synthesizer whose connection is lost, with and without another to take over. */

const TEXT = 'one two three four. ';
const gone = (kind: ProviderFailure = 'unavailable') => new ProviderError('x', kind, 'gone');
let chain: SynthesizerChain;

beforeEach(() => {
  chain = createSynthesizerChain();
});

/** The last synthesizer that was created loses its connection. */
const lose = (kind?: ProviderFailure) =>
  chain.fakes.at(-1)!.emit({ type: 'failed', contextId: null, error: gone(kind) });

/** Advances until as many synthesizers were created. */
async function untilCreated(count: number): Promise<void> {
  for (let waitedMs = 0; chain.fakes.length < count; waitedMs += 50) {
    expect(waitedMs).toBeLessThan(20_000);
    await chain.clock.advance(50);
  }
}

describe('the last synthesizer', () => {
  test.each(['unavailable', 'timeout', 'capacity'] as const)(
    'is connected again after %s, and goes on with the first word that was not spoken',
    async (kind) => {
      const synthesizer = chain.open(chain.choice('a'));
      synthesizer.speak('r1', TEXT);
      chain.fakes[0]!.emit(timing('r1', TEXT));
      chain.fakes[0]!.emit(audio('r1', 1_000));
      lose(kind);
      synthesizer.speak('r1', 'five. ');
      synthesizer.end('r1');
      await untilCreated(2);
      expect(chain.fakes[1]!.requests).toEqual(['r1~1: three four. five. ', 'r1~1 ends']);
      chain.fakes[1]!.emit(timing('r1~1', 'three four. five. '));
      chain.fakes[1]!.emit(audio('r1~1', 1_800));
      chain.fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
      expect(chain.timings.map(({ text }) => text).join('')).toBe(`${TEXT}five. `);
      expect(chain.reported.filter((line) => !line.endsWith('is full'))).toEqual(['done r1']);
      expect(chain.clock.pending()).toBe(0);
    },
  );

  test('is tried for ten seconds, with growing waits, and then has failed', async () => {
    chain.refused.set('a', gone());
    chain.open(chain.choice('a'));
    const createdAtMs: number[] = [];
    while (!chain.reported.includes('failed unavailable')) {
      while (createdAtMs.length < chain.fakes.length) createdAtMs.push(chain.clock.now());
      await chain.clock.advance(50);
      expect(chain.clock.now()).toBeLessThan(13_000);
    }
    expect(createdAtMs).toEqual([0, 250, 750, 1_750, 3_750, 5_750, 7_750, 9_750, 11_750].slice(0, createdAtMs.length));
    expect(chain.clock.now()).toBeGreaterThanOrEqual(10_000);
    expect(chain.reported).toEqual(['failed unavailable']);
    expect(chain.clock.pending()).toBe(0);
  });

  test('that comes back within ten seconds speaks what was to be said meanwhile', async () => {
    const synthesizer = chain.open(chain.choice('a'));
    await chain.clock.advance(0);
    chain.refused.set('a', gone());
    lose();
    await chain.clock.advance(3_000);
    synthesizer.speak('r1', TEXT);
    synthesizer.speak('r2', 'dropped. ');
    synthesizer.cancel('r2');
    await chain.clock.advance(3_000);
    chain.refused.clear();
    await chain.clock.advance(2_000);
    expect(chain.fakes.at(-1)!.requests.map((request) => request.split(': ')[1])).toEqual([TEXT]);
    expect(chain.reported).toEqual([]);
  });

  test.each(['auth', 'bad_request'] as const)('is not tried again after %s', async (kind) => {
    chain.open(chain.choice('a'));
    await chain.clock.advance(60_000);
    lose(kind);
    expect([chain.reported, chain.fakes.length]).toEqual([[`failed ${kind}`], 1]);
    expect(chain.clock.pending()).toBe(0);
  });

  test('that is connected and mute has failed ten seconds after it was asked', async () => {
    const synthesizer = chain.open(chain.choice('a'));
    await chain.clock.advance(30_000);
    synthesizer.speak('r1', TEXT);
    await chain.clock.advance(9_900);
    expect([chain.reported, chain.fakes.length]).toEqual([[], 2]);
    await chain.clock.advance(600);
    expect(chain.reported).toEqual(['failed timeout']);
  });

  test('that breaks again and again after a word is given up', async () => {
    const synthesizer = chain.open(chain.choice('a'));
    synthesizer.speak('r1', TEXT);
    for (let breaks = 0; !chain.reported.includes('failed unavailable'); breaks++) {
      expect(breaks).toBeLessThan(30);
      const attempt = chain.fakes.at(-1)!.requests[0]!.split(':')[0]!;
      chain.fakes.at(-1)!.emit(audio(attempt, 20));
      lose();
      await chain.clock.advance(2_000);
    }
    expect(chain.clock.now()).toBeLessThan(60_000);
  });

  test('that closes idle connections goes on, however often it does', async () => {
    chain.open(chain.choice('a'));
    for (let closes = 0; closes < 30; closes++) {
      await chain.clock.advance(12_000);
      lose();
    }
    await chain.clock.advance(0);
    expect(chain.reported).toEqual([]);
    expect(chain.fakes).toHaveLength(31);
  });

  test('that is closed while it waits leaves nothing behind', async () => {
    const synthesizer = chain.open(chain.choice('a'));
    synthesizer.speak('r1', TEXT);
    lose();
    await synthesizer.close();
    await chain.clock.advance(60_000);
    expect([chain.clock.pending(), chain.fakes.length, chain.reported]).toEqual([0, 1, []]);
  });
});

describe('with another to take over', () => {
  test.each(['unavailable', 'timeout'] as const)(
    'a connection that lasted is opened once more after %s',
    async (kind) => {
      const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
      await chain.clock.advance(20_000);
      lose(kind);
      await chain.clock.advance(0);
      expect(chain.fakes.map(({ provider }) => provider)).toEqual(['a', 'a']);
      lose(kind);
      expect(synthesizer.active.provider).toBe('b');
    },
  );

  test('a text without audio is given to it at once', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    await chain.clock.advance(20_000);
    synthesizer.speak('r1', TEXT);
    await chain.clock.advance(1_200);
    expect(synthesizer.active.provider).toBe('b');
  });

  test('the one that spoke a single reply for a full account may fail without an end', async () => {
    chain.permitsLeft = { a: 0, b: 1 };
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    await chain.clock.advance(PERMIT_WAIT_MS);
    lose('auth');
    expect(chain.fakes[0]!.requests.at(-1)).toBe(`r1~2: ${TEXT}`);
    expect(chain.reported).toEqual(['a at its limit: b']);
    expect([synthesizer.active.provider, chain.permitsLeft.b]).toEqual(['a', 1]);
  });
});

test('every reply with audio and every failed connection counts for the provider’s health', async () => {
  const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
  synthesizer.speak('r1', TEXT);
  chain.fakes[0]!.emit(audio('r1', 100));
  chain.fakes[0]!.emit(audio('r1', 100));
  lose('timeout');
  chain.fakes[1]!.emit(audio('r1~1', 100));
  expect(chain.outcomes).toEqual(['a answered', 'a timeout', 'b answered']);
});
