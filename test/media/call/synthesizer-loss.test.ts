import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type { Synthesizer } from '../../../media/tts/synthesizer.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** A call whose synthesizer is lost while the agent is silent. */

const ends = (emitted: ReturnType<typeof startSingleCall>['emitted']) =>
  emitted.flatMap(({ type, more }) => (type === 'call.ended' ? [more.ending?.hangup_reason] : []));

test('a synthesizer not available on this engine ends the call at once', async () => {
  let attempts = 0;
  const { clock, emitted } = startSingleCall({
    synthesizer() {
      attempts++;
      throw new ProviderError('test', 'auth', 'there is no key for it');
    },
  });
  await clock.advance(100);
  expect([ends(emitted), attempts]).toEqual([['error: voice'], 1]);
});

test('a synthesizer that refuses every connection for ten seconds ends the call with its reason', async () => {
  let attempts = 0;
  const { clock, emitted } = startSingleCall({
    synthesizer: () =>
      synthesizerWith(async () => {
        attempts++;
        throw new ProviderError('test', 'unavailable', 'connection refused');
      }),
  });
  await clock.advance(9_000);
  expect(ends(emitted)).toEqual([]);
  await clock.advance(3_000);
  expect(ends(emitted)).toEqual(['error: voice']);
  expect(emitted.filter(({ type }) => type === 'error').map(({ message }) => message)).toEqual([
    'voice lost, connecting again: connection refused',
    'voice failed: connection refused',
  ]);
  expect(attempts).toBeLessThan(12);
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
