import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type { Synthesizer } from '../../../media/tts/synthesizer.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** Loss of the synthesizer while the agent is silent, when no reply counts the attempts. */

const ends = (emitted: ReturnType<typeof startSingleCall>['emitted']) =>
  emitted.flatMap(({ type, more }) => (type === 'call.ended' ? [more.ending?.hangup_reason] : []));

/** Stops the failures, so that a call that never gives up fails the test instead of hanging it. */
const MAX_FAILURES = 50;

test('a synthesizer not available on this engine ends the call after a few attempts', async () => {
  let attempts = 0;
  const { clock, emitted } = startSingleCall({
    synthesizer() {
      if (++attempts > MAX_FAILURES) return synthesizerWith(() => new Promise(() => {}));
      throw new ProviderError('test', 'auth', 'there is no key for it');
    },
  });
  await clock.advance(100);
  expect(ends(emitted)).toEqual(['error: voice']);
  expect(attempts).toBeLessThan(5);
});

test('a synthesizer that refuses every connection ends the call after a few attempts', async () => {
  let attempts = 0;
  const { clock, emitted } = startSingleCall({
    synthesizer: () =>
      synthesizerWith(async () => {
        if (++attempts > MAX_FAILURES) return;
        throw new ProviderError('test', 'unavailable', 'connection refused');
      }),
  });
  await clock.advance(100);
  expect(ends(emitted)).toEqual(['error: voice']);
  expect(attempts).toBeLessThan(5);
});

test('a synthesizer that is lost once is replaced, and the call continues', async () => {
  let attempts = 0;
  const { clock, emitted, close } = startSingleCall({
    synthesizer: () =>
      synthesizerWith(async () => {
        if (++attempts === 1) throw new ProviderError('test', 'unavailable', 'connection refused');
      }),
  });
  await clock.advance(60_000);
  expect([ends(emitted), attempts]).toEqual([[], 2]);
  await close();
});

function synthesizerWith(open: () => Promise<void>): Synthesizer {
  const nothing = () => {};
  return {
    ...{ provider: 'test', model: 'test', output: MULAW_8K },
    ...{ open, speak: nothing, end: nothing, cancel: nothing, close: async () => {} },
  };
}
