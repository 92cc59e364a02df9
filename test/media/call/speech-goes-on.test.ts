import { expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

test('a caller in the middle of speech surely goes on where the agent is silent, so that audio may be sent in chunks', async () => {
  const said: boolean[] = [];
  const transcriberChain = {
    ...{ finalize() {}, speech() {}, speechEnded() {} },
    speechGoesOn: (surely: boolean) => void said.push(surely),
  };
  const harness = createHarness({ transcriberChain, welcome: 'Hello, this is Asha of the hotel by the lake.' });
  harness.conversation.start();
  await harness.clock.advance(600);
  const sureWindows = async (speechMs: number) => {
    said.length = 0;
    harness.speak(speechMs);
    await harness.clock.advance(speechMs);
    return said.filter(Boolean).length;
  };
  expect(await sureWindows(200)).toBe(0);
  await harness.clock.advance(6_000);
  expect(await sureWindows(1_000)).toBeGreaterThan(15);
  await harness.clock.advance(200);
  expect(said.at(-1)).toBe(false);
});
