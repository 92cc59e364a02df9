import { beforeEach, describe, expect, test } from 'vitest';
import { type AudioFormat, MULAW_8K, PCM_8K } from '../../../media/audio/format.ts';
import type { ConcurrencyPermit } from '../../../media/provider/concurrency-permits.ts';
import { ProviderError, type ProviderFailure } from '../../../media/provider/provider-error.ts';
import {
  COLD_FIRST_AUDIO_MS,
  createFallbackSynthesizer,
  FIRST_AUDIO_MS,
  NEXT_AUDIO_MS,
  PERMIT_WAIT_MS,
  type SynthesizerChoice,
} from '../../../media/tts/fallback-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** A voice of the test: what it was asked to say, and its mouth. */
interface Mouth {
  asked: string[];
  closed: boolean;
  tell(event: SynthesizerEvent): void;
}

let clock: VirtualClock;
let mouths: Mouth[];
let told: string[];
let timings: { text: string; startMs: number[] }[];
let soundMs: number;
let room: Record<string, number>;
let onSound: () => void;
let waiting: { account: string; wake(): void }[];
const log = createLogger('test', 'fatal');
const error = (kind: ProviderFailure = 'unavailable') => new ProviderError('x', kind, 'gone');

beforeEach(() => {
  clock = createVirtualClock();
  mouths = [];
  told = [];
  timings = [];
  soundMs = 0;
  room = {};
  onSound = () => {};
  waiting = [];
});

/** Places of the accounts; one that is not in `room` has no limit. */
function takePlace(account: string): ConcurrencyPermit | null {
  if (room[account] === 0) return null;
  if (account in room) room[account]!--;
  return {
    release() {
      if (account in room) room[account]!++;
    },
  };
}

function choice(provider: string, output: AudioFormat = MULAW_8K): SynthesizerChoice {
  return {
    name: { provider, model: 'm', voice_id: 'v', voice_name: '', language: 'en' },
    account: provider,
    create(tell) {
      const mouth: Mouth = { asked: [], closed: false, tell };
      mouths.push(mouth);
      const voice: Synthesizer = {
        provider,
        model: 'm',
        output,
        open: async () => {},
        speak: (id, text) => void mouth.asked.push(`${id}: ${text}`),
        end: (id) => void mouth.asked.push(`${id} ends`),
        cancel: (id) => void mouth.asked.push(`${id} cancelled`),
        close: async () => {
          mouth.closed = true;
        },
      };
      return voice;
    },
  };
}

function chainOf(...choices: SynthesizerChoice[]) {
  const chain = createFallbackSynthesizer({
    choices,
    line: MULAW_8K,
    clock,
    log,
    listener(event) {
      if (event.type === 'audio') {
        soundMs += event.bytes.length / 8;
        onSound();
      } else if (event.type === 'timing') timings.push({ text: event.text, startMs: [...event.startMs] });
      else told.push(event.type === 'done' ? `done ${event.contextId}` : `failed ${event.error.kind}`);
    },
    permits: {
      tryAcquire: (account) => takePlace(account),
      acquire: (account, waitMs) =>
        new Promise((resolve) => {
          const timer = clock.after(waitMs, () => resolve(takePlace(account)));
          waiting.push({ account, wake: () => [timer.cancel(), resolve(takePlace(account))] });
        }),
      reportRefusal: (account) => void told.push(`${account} is full`),
    },
    onFallback: ({ from, to }) => told.push(`${from.provider} → ${to.provider}`),
    onCapacity: ({ from, to }) => told.push(`${from.provider} at its limit: ${to?.provider ?? 'goes on'}`),
  });
  void chain.open();
  return chain;
}

const audio = (contextId: string, ms: number): SynthesizerEvent => ({
  type: 'audio',
  contextId,
  bytes: new Uint8Array(ms * 8).fill(0x55),
});
/** 100 ms a character. */
const timing = (contextId: string, text: string, fromMs = 0): SynthesizerEvent => ({
  type: 'timing',
  contextId,
  text,
  startMs: Array.from(text, (_, index) => fromMs + index * 100),
});
const TEXT = 'one two three four. ';

describe('while the first voice is well', () => {
  test('everything passes through, in the format of the line', () => {
    const chain = chainOf(choice('a', PCM_8K), choice('b'));
    chain.speak('r1', TEXT);
    chain.end('r1');
    mouths[0]!.tell({ type: 'audio', contextId: 'r1', bytes: new Uint8Array(320) });
    mouths[0]!.tell(timing('r1', TEXT));
    mouths[0]!.tell({ type: 'done', contextId: 'r1' });
    expect(soundMs).toBe(20);
    expect(told).toEqual(['done r1']);
    expect(timings.map(({ text }) => text).join('')).toBe(TEXT);
    expect(clock.pending()).toBe(0);
  });

  test('a voice that waits for more text is not late', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', 'one ');
    mouths[0]!.tell(timing('r1', 'one '));
    mouths[0]!.tell(audio('r1', 400));
    await clock.advance(60_000);
    expect(told).toEqual([]);
  });
});

describe('a voice that fails', () => {
  test('before its first sound is replaced by one that says all of it', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    await clock.advance(FIRST_AUDIO_MS);
    expect(told).toEqual(['a → b']);
    expect(mouths[1]!.asked).toEqual([`r1~1: ${TEXT}`]);
    chain.end('r1');
    mouths[1]!.tell(audio('r1~1', 200));
    mouths[0]!.tell(audio('r1', 200));
    mouths[1]!.tell({ type: 'done', contextId: 'r1~1' });
    expect(soundMs).toBe(200);
    expect(told).toEqual(['a → b', 'done r1']);
    expect(mouths[0]!.closed).toBe(true);
  });

  test('in the middle of a word is followed by one that begins with that word', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    chain.end('r1');
    mouths[0]!.tell(timing('r1', TEXT));
    mouths[0]!.tell(audio('r1', 1_000));
    await clock.advance(NEXT_AUDIO_MS);
    expect(mouths[1]!.asked).toEqual(['r1~1: three four. ', 'r1~1 ends']);
    mouths[1]!.tell(timing('r1~1', 'three four. '));
    mouths[1]!.tell(audio('r1~1', 1_200));
    mouths[1]!.tell({ type: 'done', contextId: 'r1~1' });
    expect(timings.map(({ text }) => text).join('')).toBe(TEXT);
    const starts = timings.flatMap(({ startMs }) => startMs);
    expect(starts[TEXT.indexOf('three')]).toBe(1_000);
    expect(soundMs).toBe(2_200);
  });

  test('and never told where its words lie is followed at about the word that was reached', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    chain.end('r1');
    mouths[0]!.tell(audio('r1', 65 * 10));
    mouths[0]!.tell({ type: 'failed', contextId: null, error: error('timeout') });
    expect(mouths[1]!.asked[0]).toBe('r1~1: three four. ');
    mouths[1]!.tell(timing('r1~1', 'three four. '));
    mouths[1]!.tell(audio('r1~1', 1_200));
    expect(timings.map(({ text }) => text).join('')).toBe(TEXT);
    expect(timings.flatMap(({ startMs }) => startMs)[TEXT.indexOf('three')]).toBe(650);
  });

  test('when everything was said ends what it spoke', () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    chain.end('r1');
    mouths[0]!.tell(timing('r1', TEXT));
    mouths[0]!.tell(audio('r1', 2_500));
    mouths[0]!.tell({ type: 'failed', contextId: null, error: error('timeout') });
    expect(mouths[1]!.asked).toEqual([]);
    expect(told).toContain('done r1');
  });

  test('before nothing but dots is not followed by one that would be waited for in vain', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', 'one two ');
    chain.speak('r1', '... ');
    mouths[0]!.tell(timing('r1', 'one two '));
    mouths[0]!.tell(audio('r1', 900));
    mouths[0]!.tell({ type: 'failed', contextId: null, error: error('timeout') });
    await clock.advance(60_000);
    expect([mouths[1]!.asked, told]).toEqual([[], ['a → b']]);
    chain.end('r1');
    mouths[1]!.tell({ type: 'done', contextId: 'r1~1' });
    expect(told.at(-1)).toBe('done r1');
  });

  test('in one context is given a second try by itself', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    mouths[0]!.tell({ type: 'failed', contextId: 'r1', error: error() });
    expect(mouths[0]!.asked.at(-1)).toBe(`r1~1: ${TEXT}`);
    mouths[0]!.tell({ type: 'failed', contextId: 'r1~1', error: error() });
    expect(mouths[1]!.asked).toEqual([`r1~2: ${TEXT}`]);
  });

  test('after a long life is connected anew first', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    await clock.advance(20_000);
    mouths[0]!.tell({ type: 'failed', contextId: null, error: error() });
    expect(chain.serving.provider).toBe('a');
    expect(mouths).toHaveLength(2);
    mouths[1]!.tell({ type: 'failed', contextId: null, error: error() });
    expect(chain.serving.provider).toBe('b');
  });

  test('once stays replaced: what is said later goes to the other one', async () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    mouths[0]!.tell({ type: 'failed', contextId: null, error: error('capacity') });
    chain.cancel('r1');
    chain.speak('r2', 'hello ');
    expect(mouths[1]!.asked.at(-1)).toMatch(/^r2.*: hello $/);
  });
});

test('a stand-in that has never spoken gets longer', async () => {
  const chain = chainOf(choice('a'), choice('b'), choice('c'));
  chain.speak('r1', TEXT);
  await clock.advance(FIRST_AUDIO_MS);
  await clock.advance(COLD_FIRST_AUDIO_MS - 1);
  expect(chain.serving.provider).toBe('b');
  await clock.advance(1);
  expect(chain.serving.provider).toBe('c');
});

test('when nobody is left the call is told, once, and nothing more happens', async () => {
  const chain = chainOf(choice('a'));
  chain.speak('r1', TEXT);
  await clock.advance(60_000);
  chain.speak('r1', 'more');
  await clock.advance(60_000);
  expect(told).toEqual(['failed timeout']);
  expect(clock.pending()).toBe(0);
});

test('a cancelled context leaves nothing behind, whatever its voice still says', async () => {
  const chain = chainOf(choice('a'), choice('b'));
  chain.speak('r1', TEXT);
  chain.cancel('r1');
  mouths[0]!.tell(audio('r1', 500));
  await clock.advance(60_000);
  expect(mouths[0]!.asked).toEqual([`r1: ${TEXT}`, 'r1 cancelled']);
  expect([soundMs, told, clock.pending()]).toEqual([0, [], 0]);
});

test('a context that is cancelled at its own sound is waited for no more', async () => {
  const chain = chainOf(choice('a'), choice('b'));
  chain.speak('r1', TEXT);
  onSound = () => chain.cancel('r1');
  mouths[0]!.tell(audio('r1', 100));
  await clock.advance(60_000);
  expect([chain.serving.provider, told, clock.pending()]).toEqual(['a', [], 0]);
});

describe('an account at its limit', () => {
  test('keeps no place for a reply whose voice failed while it was waited for', async () => {
    room = { a: 0 };
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    mouths[0]!.tell({ type: 'failed', contextId: null, error: error('auth') });
    room.a = 1;
    waiting[0]!.wake();
    await clock.advance(0);
    expect(mouths[1]!.asked).toEqual([`r1~1: ${TEXT}`]);
    expect([told, room.a]).toEqual([['a → b'], 1]);
  });

  test('is waited for, and the reply then spoken whole', async () => {
    room = { a: 0 };
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', 'one ');
    chain.speak('r1', 'two. ');
    chain.end('r1');
    await clock.advance(500);
    expect(mouths[0]!.asked).toEqual([]);
    room.a = 1;
    waiting[0]!.wake();
    await clock.advance(0);
    expect(mouths[0]!.asked).toEqual(['r1~1: one two. ', 'r1~1 ends']);
    chain.cancel('r1');
    expect(room.a).toBe(1);
  });

  test('has one reply spoken by another voice, and the next one again by its own', async () => {
    room = { a: 0, b: 1 };
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    await clock.advance(PERMIT_WAIT_MS);
    expect(told).toEqual(['a at its limit: b']);
    expect(mouths[1]!.asked).toEqual([`r1~1: ${TEXT}`]);
    mouths[1]!.tell(audio('r1~1', 500));
    chain.cancel('r1');
    room.a = 1;
    chain.speak('r2', TEXT);
    expect(mouths[0]!.asked.at(-1)).toBe(`r2: ${TEXT}`);
    expect(chain.serving.provider).toBe('a');
    expect(room).toEqual({ a: 0, b: 1 });
  });

  test('goes on anyway where nobody has room', async () => {
    room = { a: 0, b: 0 };
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    await clock.advance(PERMIT_WAIT_MS);
    expect(told).toEqual(['a at its limit: goes on']);
    expect(mouths[0]!.asked).toEqual([`r1~1: ${TEXT}`]);
  });

  test('told by the provider itself is the same', () => {
    const chain = chainOf(choice('a'), choice('b'));
    chain.speak('r1', TEXT);
    mouths[0]!.tell({ type: 'failed', contextId: 'r1', error: error('capacity') });
    expect(told).toEqual(['a is full', 'a at its limit: b']);
    expect(mouths[1]!.asked).toEqual([`r1~1: ${TEXT}`]);
    expect(chain.serving.provider).toBe('a');
  });

  test('a reply that is cancelled while it waits takes no place', async () => {
    room = { a: 0 };
    const chain = chainOf(choice('a'));
    chain.speak('r1', TEXT);
    chain.cancel('r1');
    room.a = 1;
    await clock.advance(PERMIT_WAIT_MS);
    expect(room.a).toBe(1);
    expect(mouths[0]!.asked).toEqual(['r1 cancelled']);
  });
});
