import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type { Synthesizer } from '../../../media/tts/synthesizer.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** A voice that is lost while the agent says nothing: no reply is there to count the tries. */

const ends = (told: ReturnType<typeof startSingleCall>['told']) =>
  told.flatMap(({ type, more }) => (type === 'call.ended' ? [more.ending?.hangup_reason] : []));

/** More is not asked of it by a call that knows when to stop; without this a failing test would never end. */
const ENOUGH = 50;

test('one that this engine cannot have ends the call, after a few tries', async () => {
  let asked = 0;
  const { clock, told } = startSingleCall({
    synthesizer() {
      if (++asked > ENOUGH) return voiceThat(() => new Promise(() => {}));
      throw new ProviderError('test', 'auth', 'there is no key for it');
    },
  });
  await clock.advance(100);
  expect(ends(told)).toEqual(['error: voice']);
  expect(asked).toBeLessThan(5);
});

test('one that refuses every connection ends the call, after a few tries', async () => {
  let asked = 0;
  const { clock, told } = startSingleCall({
    synthesizer: () =>
      voiceThat(async () => {
        if (++asked > ENOUGH) return;
        throw new ProviderError('test', 'unavailable', 'connection refused');
      }),
  });
  await clock.advance(100);
  expect(ends(told)).toEqual(['error: voice']);
  expect(asked).toBeLessThan(5);
});

test('one that is lost once is replaced, and the call goes on', async () => {
  let asked = 0;
  const { clock, told, close } = startSingleCall({
    synthesizer: () =>
      voiceThat(async () => {
        if (++asked === 1) throw new ProviderError('test', 'unavailable', 'connection refused');
      }),
  });
  await clock.advance(60_000);
  expect([ends(told), asked]).toEqual([[], 2]);
  await close();
});

function voiceThat(open: () => Promise<void>): Synthesizer {
  const nothing = () => {};
  return {
    ...{ provider: 'test', model: 'test', output: MULAW_8K },
    ...{ open, speak: nothing, end: nothing, cancel: nothing, close: async () => {} },
  };
}
