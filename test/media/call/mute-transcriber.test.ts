import { expect, test } from 'vitest';
import { startSingleCall } from '../../support/single-call.ts';

/** The caller speaks, and the transcriber, which decides when turns end, says nothing. */

async function speak(call: ReturnType<typeof startSingleCall>, seconds: number): Promise<void> {
  for (let window = 0; window < seconds * 31.25 + 60; window++) {
    call.vadWindow(window < seconds * 31.25 ? 0.95 : 0.02);
    await call.clock.advance(32);
    call.tick();
  }
}

test('a transcriber without words for what the caller says is connected again, and the call goes on', async () => {
  let connections = 0;
  const call = startSingleCall({
    settings: { hangup_after_silence_seconds: 120 },
    transcriber: { open: async () => void connections++ },
  });
  await call.clock.advance(11_000);
  await speak(call, 2);
  await call.clock.advance(3_000);
  expect(connections).toBe(1);
  await speak(call, 2);
  await call.clock.advance(3_000);
  expect(connections).toBe(2);
  for (let more = 0; more < 8; more++) await speak(call, 2);
  expect(call.emitted.some(({ type }) => type === 'call.ended')).toBe(false);
  await call.close();
});

test('speech while the agent speaks proves nothing about the transcriber', async () => {
  let connections = 0;
  const call = startSingleCall({
    agent: { welcome_message: 'Welcome to the restaurant. '.repeat(40) },
    settings: { hangup_after_silence_seconds: 120, allow_interruptions: false },
    transcriber: { open: async () => void connections++ },
  });
  await call.clock.advance(11_000);
  for (let more = 0; more < 3; more++) await speak(call, 2);
  expect(connections).toBe(1);
  await call.close();
});

test('a television in the background, which is rightly not transcribed, does not end the call', async () => {
  let connections = 0;
  const call = startSingleCall({
    settings: { hangup_after_silence_seconds: 120 },
    transcriber: { open: async () => void connections++ },
  });
  await call.clock.advance(11_000);
  for (let stretches = 0; stretches < 8; stretches++) await speak(call, [1, 3, 8, 20][stretches % 4]!);
  expect(call.emitted.filter(({ type }) => type === 'call.ended')).toEqual([]);
  expect(connections).toBe(2);
  await call.close();
});
