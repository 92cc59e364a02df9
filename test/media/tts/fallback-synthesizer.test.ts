import { beforeEach, describe, expect, test } from 'vitest';
import { type AudioFormat, MULAW_8K, PCM_8K } from '../../../media/audio/format.ts';
import type { ConcurrencyPermit } from '../../../media/provider/concurrency-permits.ts';
import { ProviderError, type ProviderFailure } from '../../../media/provider/provider-error.ts';
import { COLD_FIRST_AUDIO_MS, FIRST_AUDIO_MS, NEXT_AUDIO_MS } from '../../../media/tts/fallback-context.ts';
import {
  createFallbackSynthesizer,
  PERMIT_WAIT_MS,
  type SynthesizerChoice,
} from '../../../media/tts/fallback-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** A synthesizer that records what it was requested to speak; the test emits its events. */
interface FakeSynthesizer {
  requests: string[];
  closed: boolean;
  emit(event: SynthesizerEvent): void;
}

let clock: VirtualClock;
let fakes: FakeSynthesizer[];
let reported: string[];
let timings: { text: string; startMs: number[] }[];
let audioMs: number;
let permitsLeft: Record<string, number>;
let onAudio: () => void;
let waiting: { account: string; wake(): void }[];
const log = createLogger('test', 'fatal');
const error = (kind: ProviderFailure = 'unavailable') => new ProviderError('x', kind, 'gone');

beforeEach(() => {
  clock = createVirtualClock();
  fakes = [];
  reported = [];
  timings = [];
  audioMs = 0;
  permitsLeft = {};
  onAudio = () => {};
  waiting = [];
});

/** An account that is not in `permitsLeft` has no limit. */
function tryAcquire(account: string): ConcurrencyPermit | null {
  if (permitsLeft[account] === 0) return null;
  if (account in permitsLeft) permitsLeft[account]!--;
  return {
    release() {
      if (account in permitsLeft) permitsLeft[account]!++;
    },
  };
}

function choice(provider: string, output: AudioFormat = MULAW_8K): SynthesizerChoice {
  return {
    name: { provider, model: 'm', voice_id: 'v', voice_name: '', language: 'en' },
    account: provider,
    create(emit) {
      const fake: FakeSynthesizer = { requests: [], closed: false, emit };
      fakes.push(fake);
      const synthesizer: Synthesizer = {
        provider,
        model: 'm',
        output,
        open: async () => {},
        speak: (id, text) => void fake.requests.push(`${id}: ${text}`),
        end: (id) => void fake.requests.push(`${id} ends`),
        cancel: (id) => void fake.requests.push(`${id} cancelled`),
        close: async () => {
          fake.closed = true;
        },
      };
      return synthesizer;
    },
  };
}

function createSynthesizer(...choices: SynthesizerChoice[]) {
  const synthesizer = createFallbackSynthesizer({
    choices,
    outputFormat: MULAW_8K,
    clock,
    log,
    listener(event) {
      if (event.type === 'audio') {
        audioMs += event.bytes.length / 8;
        onAudio();
      } else if (event.type === 'timing') timings.push({ text: event.text, startMs: [...event.startMs] });
      else reported.push(event.type === 'done' ? `done ${event.contextId}` : `failed ${event.error.kind}`);
    },
    permits: {
      tryAcquire: (account) => tryAcquire(account),
      acquire: (account, waitMs) =>
        new Promise((resolve) => {
          const timer = clock.after(waitMs, () => resolve(tryAcquire(account)));
          waiting.push({ account, wake: () => [timer.cancel(), resolve(tryAcquire(account))] });
        }),
      reportRefusal: (account) => void reported.push(`${account} is full`),
    },
    onFallback: ({ from, to }) => reported.push(`${from.provider} → ${to.provider}`),
    onCapacity: ({ from, to }) => reported.push(`${from.provider} at its limit: ${to?.provider ?? 'no permit'}`),
  });
  void synthesizer.open();
  return synthesizer;
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

describe('while the first synthesizer is healthy', () => {
  test('passes everything through, in the format of the call', () => {
    const synthesizer = createSynthesizer(choice('a', PCM_8K), choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    fakes[0]!.emit({ type: 'audio', contextId: 'r1', bytes: new Uint8Array(320) });
    fakes[0]!.emit(timing('r1', TEXT));
    fakes[0]!.emit({ type: 'done', contextId: 'r1' });
    expect(audioMs).toBe(20);
    expect(reported).toEqual(['done r1']);
    expect(timings.map(({ text }) => text).join('')).toBe(TEXT);
    expect(clock.pending()).toBe(0);
  });

  test('does not time out a synthesizer that waits for more text', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', 'one ');
    fakes[0]!.emit(timing('r1', 'one '));
    fakes[0]!.emit(audio('r1', 400));
    await clock.advance(60_000);
    expect(reported).toEqual([]);
  });
});

describe('a synthesizer that fails', () => {
  test('before its first audio is replaced by a fallback that speaks the whole text', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    await clock.advance(FIRST_AUDIO_MS);
    expect(reported).toEqual(['a → b']);
    expect(fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    synthesizer.end('r1');
    fakes[1]!.emit(audio('r1~1', 200));
    fakes[0]!.emit(audio('r1', 200));
    fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
    expect(audioMs).toBe(200);
    expect(reported).toEqual(['a → b', 'done r1']);
    expect(fakes[0]!.closed).toBe(true);
  });

  test('in the middle of a word is followed by a fallback that resumes with that word', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    fakes[0]!.emit(timing('r1', TEXT));
    fakes[0]!.emit(audio('r1', 1_000));
    await clock.advance(NEXT_AUDIO_MS);
    expect(fakes[1]!.requests).toEqual(['r1~1: three four. ', 'r1~1 ends']);
    fakes[1]!.emit(timing('r1~1', 'three four. '));
    fakes[1]!.emit(audio('r1~1', 1_200));
    fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
    expect(timings.map(({ text }) => text).join('')).toBe(TEXT);
    const starts = timings.flatMap(({ startMs }) => startMs);
    expect(starts[TEXT.indexOf('three')]).toBe(1_000);
    expect(audioMs).toBe(2_200);
  });

  test('without having sent timings is followed by a fallback that resumes at the estimated word', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    fakes[0]!.emit(audio('r1', 65 * 10));
    fakes[0]!.emit({ type: 'failed', contextId: null, error: error('timeout') });
    expect(fakes[1]!.requests[0]).toBe('r1~1: three four. ');
    fakes[1]!.emit(timing('r1~1', 'three four. '));
    fakes[1]!.emit(audio('r1~1', 1_200));
    expect(timings.map(({ text }) => text).join('')).toBe(TEXT);
    expect(timings.flatMap(({ startMs }) => startMs)[TEXT.indexOf('three')]).toBe(650);
  });

  test('after its whole text was spoken ends the context', () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    fakes[0]!.emit(timing('r1', TEXT));
    fakes[0]!.emit(audio('r1', 2_500));
    fakes[0]!.emit({ type: 'failed', contextId: null, error: error('timeout') });
    expect(fakes[1]!.requests).toEqual([]);
    expect(reported).toContain('done r1');
  });

  test('before a rest without letters is not followed by a request for it', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', 'one two ');
    synthesizer.speak('r1', '... ');
    fakes[0]!.emit(timing('r1', 'one two '));
    fakes[0]!.emit(audio('r1', 900));
    fakes[0]!.emit({ type: 'failed', contextId: null, error: error('timeout') });
    await clock.advance(60_000);
    expect([fakes[1]!.requests, reported]).toEqual([[], ['a → b']]);
    synthesizer.end('r1');
    fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
    expect(reported.at(-1)).toBe('done r1');
  });

  test('in one context is retried once before the fallback', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    fakes[0]!.emit({ type: 'failed', contextId: 'r1', error: error() });
    expect(fakes[0]!.requests.at(-1)).toBe(`r1~1: ${TEXT}`);
    fakes[0]!.emit({ type: 'failed', contextId: 'r1~1', error: error() });
    expect(fakes[1]!.requests).toEqual([`r1~2: ${TEXT}`]);
  });

  test('on a connection that lasted is reconnected first', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    await clock.advance(20_000);
    fakes[0]!.emit({ type: 'failed', contextId: null, error: error() });
    expect(synthesizer.active.provider).toBe('a');
    expect(fakes).toHaveLength(2);
    fakes[1]!.emit({ type: 'failed', contextId: null, error: error() });
    expect(synthesizer.active.provider).toBe('b');
  });

  test('stays replaced for later contexts', async () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    fakes[0]!.emit({ type: 'failed', contextId: null, error: error('capacity') });
    synthesizer.cancel('r1');
    synthesizer.speak('r2', 'hello ');
    expect(fakes[1]!.requests.at(-1)).toMatch(/^r2.*: hello $/);
  });
});

test('a fallback that has never spoken has a longer deadline', async () => {
  const synthesizer = createSynthesizer(choice('a'), choice('b'), choice('c'));
  synthesizer.speak('r1', TEXT);
  await clock.advance(FIRST_AUDIO_MS);
  await clock.advance(COLD_FIRST_AUDIO_MS - 1);
  expect(synthesizer.active.provider).toBe('b');
  await clock.advance(1);
  expect(synthesizer.active.provider).toBe('c');
});

test('the failure of the last choice is reported once, and nothing follows', async () => {
  const synthesizer = createSynthesizer(choice('a'));
  synthesizer.speak('r1', TEXT);
  await clock.advance(60_000);
  synthesizer.speak('r1', 'more');
  await clock.advance(60_000);
  expect(reported).toEqual(['failed timeout']);
  expect(clock.pending()).toBe(0);
});

test('a cancelled context emits nothing and leaves no timer, whatever its synthesizer still sends', async () => {
  const synthesizer = createSynthesizer(choice('a'), choice('b'));
  synthesizer.speak('r1', TEXT);
  synthesizer.cancel('r1');
  fakes[0]!.emit(audio('r1', 500));
  await clock.advance(60_000);
  expect(fakes[0]!.requests).toEqual([`r1: ${TEXT}`, 'r1 cancelled']);
  expect([audioMs, reported, clock.pending()]).toEqual([0, [], 0]);
});

test('a context that is cancelled during its own audio event has no deadline any more', async () => {
  const synthesizer = createSynthesizer(choice('a'), choice('b'));
  synthesizer.speak('r1', TEXT);
  onAudio = () => synthesizer.cancel('r1');
  fakes[0]!.emit(audio('r1', 100));
  await clock.advance(60_000);
  expect([synthesizer.active.provider, reported, clock.pending()]).toEqual(['a', [], 0]);
});

describe('an account at its limit', () => {
  test('keeps no permit for a reply whose synthesizer failed while it waited for one', async () => {
    permitsLeft = { a: 0 };
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    fakes[0]!.emit({ type: 'failed', contextId: null, error: error('auth') });
    permitsLeft.a = 1;
    waiting[0]!.wake();
    await clock.advance(0);
    expect(fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    expect([reported, permitsLeft.a]).toEqual([['a → b'], 1]);
  });

  test('makes a reply wait, which is then spoken completely', async () => {
    permitsLeft = { a: 0 };
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', 'one ');
    synthesizer.speak('r1', 'two. ');
    synthesizer.end('r1');
    await clock.advance(500);
    expect(fakes[0]!.requests).toEqual([]);
    permitsLeft.a = 1;
    waiting[0]!.wake();
    await clock.advance(0);
    expect(fakes[0]!.requests).toEqual(['r1~1: one two. ', 'r1~1 ends']);
    synthesizer.cancel('r1');
    expect(permitsLeft.a).toBe(1);
  });

  test('has one reply spoken by a fallback, and the next one by its own synthesizer again', async () => {
    permitsLeft = { a: 0, b: 1 };
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    await clock.advance(PERMIT_WAIT_MS);
    expect(reported).toEqual(['a at its limit: b']);
    expect(fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    fakes[1]!.emit(audio('r1~1', 500));
    synthesizer.cancel('r1');
    permitsLeft.a = 1;
    synthesizer.speak('r2', TEXT);
    expect(fakes[0]!.requests.at(-1)).toBe(`r2: ${TEXT}`);
    expect(synthesizer.active.provider).toBe('a');
    expect(permitsLeft).toEqual({ a: 0, b: 1 });
  });

  test('speaks without a permit when no account has one', async () => {
    permitsLeft = { a: 0, b: 0 };
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    await clock.advance(PERMIT_WAIT_MS);
    expect(reported).toEqual(['a at its limit: no permit']);
    expect(fakes[0]!.requests).toEqual([`r1~1: ${TEXT}`]);
  });

  test('is treated the same when the provider reports it', () => {
    const synthesizer = createSynthesizer(choice('a'), choice('b'));
    synthesizer.speak('r1', TEXT);
    fakes[0]!.emit({ type: 'failed', contextId: 'r1', error: error('capacity') });
    expect(reported).toEqual(['a is full', 'a at its limit: b']);
    expect(fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    expect(synthesizer.active.provider).toBe('a');
  });

  test('a reply that is cancelled while it waits takes no permit', async () => {
    permitsLeft = { a: 0 };
    const synthesizer = createSynthesizer(choice('a'));
    synthesizer.speak('r1', TEXT);
    synthesizer.cancel('r1');
    permitsLeft.a = 1;
    await clock.advance(PERMIT_WAIT_MS);
    expect(permitsLeft.a).toBe(1);
    expect(fakes[0]!.requests).toEqual(['r1 cancelled']);
  });
});
