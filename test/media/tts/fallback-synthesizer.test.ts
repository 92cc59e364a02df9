import { beforeEach, describe, expect, test } from 'vitest';
import { PCM_8K } from '../../../media/audio/format.ts';
import { ProviderError, type ProviderFailure } from '../../../media/provider/provider-error.ts';
import { COLD_FIRST_AUDIO_MS, FIRST_AUDIO_MS, NEXT_AUDIO_MS } from '../../../media/tts/fallback-context.ts';
import { PERMIT_WAIT_MS } from '../../../media/tts/fallback-synthesizer.ts';
import { audio, createSynthesizerChain, type SynthesizerChain, timing } from '../../support/synthesizer-chain.ts';

let chain: SynthesizerChain;
const error = (kind: ProviderFailure = 'unavailable') => new ProviderError('x', kind, 'gone');

beforeEach(() => {
  chain = createSynthesizerChain();
});

const TEXT = 'one two three four. ';

describe('while the first synthesizer is healthy', () => {
  test('passes everything through, in the format of the call', () => {
    const synthesizer = chain.open(chain.choice('a', PCM_8K), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    chain.fakes[0]!.emit({ type: 'audio', contextId: 'r1', bytes: new Uint8Array(320) });
    chain.fakes[0]!.emit(timing('r1', TEXT));
    chain.fakes[0]!.emit({ type: 'done', contextId: 'r1' });
    expect(chain.audioMs).toBe(20);
    expect(chain.reported).toEqual(['done r1']);
    expect(chain.timings.map(({ text }) => text).join('')).toBe(TEXT);
    expect(chain.clock.pending()).toBe(0);
  });

  test('does not time out a synthesizer that waits for more text', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', 'one ');
    chain.fakes[0]!.emit(timing('r1', 'one '));
    chain.fakes[0]!.emit(audio('r1', 400));
    await chain.clock.advance(60_000);
    expect(chain.reported).toEqual([]);
  });
});

describe('a synthesizer that fails', () => {
  test('before its first audio is replaced by a fallback that speaks the whole text', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    await chain.clock.advance(FIRST_AUDIO_MS);
    expect(chain.reported).toEqual(['a → b']);
    expect(chain.fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    synthesizer.end('r1');
    chain.fakes[1]!.emit(audio('r1~1', 200));
    chain.fakes[0]!.emit(audio('r1', 200));
    chain.fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
    expect(chain.audioMs).toBe(200);
    expect(chain.reported).toEqual(['a → b', 'done r1']);
    expect(chain.fakes[0]!.closed).toBe(true);
  });

  test('in the middle of a word is followed by a fallback that resumes with that word', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    chain.fakes[0]!.emit(timing('r1', TEXT));
    chain.fakes[0]!.emit(audio('r1', 1_000));
    await chain.clock.advance(NEXT_AUDIO_MS);
    expect(chain.fakes[1]!.requests).toEqual(['r1~1: three four. ', 'r1~1 ends']);
    chain.fakes[1]!.emit(timing('r1~1', 'three four. '));
    chain.fakes[1]!.emit(audio('r1~1', 1_200));
    chain.fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
    expect(chain.timings.map(({ text }) => text).join('')).toBe(TEXT);
    const starts = chain.timings.flatMap(({ startMs }) => startMs);
    expect(starts[TEXT.indexOf('three')]).toBe(1_000);
    expect(chain.audioMs).toBe(2_200);
  });

  test('without having sent chain.timings is followed by a fallback that resumes at the estimated word', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    chain.fakes[0]!.emit(audio('r1', 65 * 10));
    chain.fakes[0]!.emit({ type: 'failed', contextId: null, error: error('timeout') });
    expect(chain.fakes[1]!.requests[0]).toBe('r1~1: three four. ');
    chain.fakes[1]!.emit(timing('r1~1', 'three four. '));
    chain.fakes[1]!.emit(audio('r1~1', 1_200));
    expect(chain.timings.map(({ text }) => text).join('')).toBe(TEXT);
    expect(chain.timings.flatMap(({ startMs }) => startMs)[TEXT.indexOf('three')]).toBe(650);
  });

  test('after its whole text was spoken ends the context', () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    synthesizer.end('r1');
    chain.fakes[0]!.emit(timing('r1', TEXT));
    chain.fakes[0]!.emit(audio('r1', 2_500));
    chain.fakes[0]!.emit({ type: 'failed', contextId: null, error: error('timeout') });
    expect(chain.fakes[1]!.requests).toEqual([]);
    expect(chain.reported).toContain('done r1');
  });

  test('before a rest without letters is not followed by a request for it', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', 'one two ');
    synthesizer.speak('r1', '... ');
    chain.fakes[0]!.emit(timing('r1', 'one two '));
    chain.fakes[0]!.emit(audio('r1', 900));
    chain.fakes[0]!.emit({ type: 'failed', contextId: null, error: error('timeout') });
    await chain.clock.advance(60_000);
    expect([chain.fakes[1]!.requests, chain.reported]).toEqual([[], ['a → b']]);
    synthesizer.end('r1');
    chain.fakes[1]!.emit({ type: 'done', contextId: 'r1~1' });
    expect(chain.reported.at(-1)).toBe('done r1');
  });

  test('in one context is retried once before the fallback', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    chain.fakes[0]!.emit({ type: 'failed', contextId: 'r1', error: error() });
    expect(chain.fakes[0]!.requests.at(-1)).toBe(`r1~1: ${TEXT}`);
    chain.fakes[0]!.emit({ type: 'failed', contextId: 'r1~1', error: error() });
    expect(chain.fakes[1]!.requests).toEqual([`r1~2: ${TEXT}`]);
  });

  test('stays replaced for later contexts', async () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    chain.fakes[0]!.emit({ type: 'failed', contextId: null, error: error('capacity') });
    synthesizer.cancel('r1');
    synthesizer.speak('r2', 'hello ');
    expect(chain.fakes[1]!.requests.at(-1)).toMatch(/^r2.*: hello $/);
  });
});

test('a fallback that has never spoken has a longer deadline', async () => {
  const synthesizer = chain.open(chain.choice('a'), chain.choice('b'), chain.choice('c'));
  synthesizer.speak('r1', TEXT);
  await chain.clock.advance(FIRST_AUDIO_MS);
  await chain.clock.advance(COLD_FIRST_AUDIO_MS - 1);
  expect(synthesizer.active.provider).toBe('b');
  await chain.clock.advance(1);
  expect(synthesizer.active.provider).toBe('c');
});

test('the failure of the last choice is chain.reported once, and nothing follows', async () => {
  const synthesizer = chain.open(chain.choice('a'));
  synthesizer.speak('r1', TEXT);
  await chain.clock.advance(60_000);
  synthesizer.speak('r1', 'more');
  await chain.clock.advance(60_000);
  expect(chain.reported).toEqual(['failed timeout']);
  expect(chain.clock.pending()).toBe(0);
});

test('a cancelled context emits nothing and leaves no timer, whatever its synthesizer still sends', async () => {
  const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
  synthesizer.speak('r1', TEXT);
  synthesizer.cancel('r1');
  chain.fakes[0]!.emit(audio('r1', 500));
  await chain.clock.advance(60_000);
  expect(chain.fakes[0]!.requests).toEqual([`r1: ${TEXT}`, 'r1 cancelled']);
  expect([chain.audioMs, chain.reported, chain.clock.pending()]).toEqual([0, [], 0]);
});

test('a context that is cancelled during its own audio event has no deadline any more', async () => {
  const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
  synthesizer.speak('r1', TEXT);
  chain.onAudio = () => synthesizer.cancel('r1');
  chain.fakes[0]!.emit(audio('r1', 100));
  await chain.clock.advance(60_000);
  expect([synthesizer.active.provider, chain.reported, chain.clock.pending()]).toEqual(['a', [], 0]);
});

describe('an account at its limit', () => {
  test('keeps no permit for a reply whose synthesizer failed while it waited for one', async () => {
    chain.permitsLeft = { a: 0 };
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    chain.fakes[0]!.emit({ type: 'failed', contextId: null, error: error('auth') });
    chain.permitsLeft.a = 1;
    chain.waiting[0]!.wake();
    await chain.clock.advance(0);
    expect(chain.fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    expect([chain.reported, chain.permitsLeft.a]).toEqual([['a → b'], 1]);
  });

  test('makes a reply wait, which is then spoken completely', async () => {
    chain.permitsLeft = { a: 0 };
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', 'one ');
    synthesizer.speak('r1', 'two. ');
    synthesizer.end('r1');
    await chain.clock.advance(500);
    expect(chain.fakes[0]!.requests).toEqual([]);
    chain.permitsLeft.a = 1;
    chain.waiting[0]!.wake();
    await chain.clock.advance(0);
    expect(chain.fakes[0]!.requests).toEqual(['r1~1: one two. ', 'r1~1 ends']);
    synthesizer.cancel('r1');
    expect(chain.permitsLeft.a).toBe(1);
  });

  test('has one reply spoken by a fallback, and the next one by its own synthesizer again', async () => {
    chain.permitsLeft = { a: 0, b: 1 };
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    await chain.clock.advance(PERMIT_WAIT_MS);
    expect(chain.reported).toEqual(['a at its limit: b']);
    expect(chain.fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    chain.fakes[1]!.emit(audio('r1~1', 500));
    synthesizer.cancel('r1');
    chain.permitsLeft.a = 1;
    synthesizer.speak('r2', TEXT);
    expect(chain.fakes[0]!.requests.at(-1)).toBe(`r2: ${TEXT}`);
    expect(synthesizer.active.provider).toBe('a');
    expect(chain.permitsLeft).toEqual({ a: 0, b: 1 });
  });

  test('speaks without a permit when no account has one', async () => {
    chain.permitsLeft = { a: 0, b: 0 };
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    await chain.clock.advance(PERMIT_WAIT_MS);
    expect(chain.reported).toEqual(['a at its limit: no permit']);
    expect(chain.fakes[0]!.requests).toEqual([`r1~1: ${TEXT}`]);
  });

  test('is treated the same when the provider reports it', () => {
    const synthesizer = chain.open(chain.choice('a'), chain.choice('b'));
    synthesizer.speak('r1', TEXT);
    chain.fakes[0]!.emit({ type: 'failed', contextId: 'r1', error: error('capacity') });
    expect(chain.reported).toEqual(['a is full', 'a at its limit: b']);
    expect(chain.fakes[1]!.requests).toEqual([`r1~1: ${TEXT}`]);
    expect(synthesizer.active.provider).toBe('a');
  });

  test('a reply that is cancelled while it waits takes no permit', async () => {
    chain.permitsLeft = { a: 0 };
    const synthesizer = chain.open(chain.choice('a'));
    synthesizer.speak('r1', TEXT);
    synthesizer.cancel('r1');
    chain.permitsLeft.a = 1;
    await chain.clock.advance(PERMIT_WAIT_MS);
    expect(chain.permitsLeft.a).toBe(1);
    expect(chain.fakes[0]!.requests).toEqual(['r1 cancelled']);
  });
});
