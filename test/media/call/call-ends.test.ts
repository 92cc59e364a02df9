import { expect, test } from 'vitest';
import type { LegEnd, LiveTranscriptLine } from '../../../media/leg/leg.ts';
import type { TurnDetector } from '../../../media/turn/turn-detector.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** How a call ends with its leg, and what it closes then. */

test.each<[LegEnd, object, string[]]>([
  ['hung up', { hangup_by: 'caller', hangup_reason: 'caller hung up' }, []],
  ['media failed', { hangup_by: 'service', hangup_reason: 'error: browser media' }, ['browser media failed: why']],
  ['lost', { hangup_by: 'carrier', hangup_reason: 'carrier failed' }, ["the carrier's stream ended: lost, why"]],
  [
    'congested',
    { hangup_by: 'carrier', hangup_reason: 'carrier failed' },
    ["the carrier's stream ended: congested, why"],
  ],
])('a leg that ends with %s', async (cause, ending, errors) => {
  const { call, clock, emitted, leg } = startSingleCall();
  await clock.advance(1_000);
  leg().ended(cause, 'why');
  await clock.advance(100);
  await call.over;
  expect(emitted.filter(({ type }) => type === 'error').map(({ message }) => message)).toEqual(errors);
  expect(emitted.at(-1)).toMatchObject({ type: 'call.ended', more: { ending } });
});

test('the end of the leg of a call that is over says nothing more', async () => {
  const { call, clock, emitted, leg } = startSingleCall();
  await clock.advance(1_000);
  call.end({ hangup_by: 'agent', hangup_reason: 'agent ended the call' });
  leg().ended('lost', 'why');
  await clock.advance(100);
  await call.over;
  expect(emitted.filter(({ type }) => type === 'error')).toEqual([]);
  expect(emitted.at(-1)!.more.ending).toMatchObject({ hangup_reason: 'agent ended the call' });
});

test('a call that is over closes its stream of the turn detector and takes no more audio', async () => {
  let closed = 0;
  let windows = 0;
  const turnDetector = {
    open: () => ({ push() {}, predict() {}, close: () => closed++ }),
  } as unknown as TurnDetector;
  const call = startSingleCall({
    turnDetector,
    agent: { transcriber: { provider: 'deepgram' } },
    onVad: () => windows++,
  });
  await call.clock.advance(1_000);
  await call.sendAudio(new Int16Array(800));
  const before = windows;
  await call.close();
  await call.sendAudio(new Int16Array(800));
  expect([closed, before > 0, windows]).toEqual([1, true, before]);
});

test('what the caller is saying is shown while it is said', async () => {
  const lines: LiveTranscriptLine[] = [];
  const call = startSingleCall({ leg: { transcript: (line) => lines.push(line) } });
  await call.clock.advance(1_000);
  call.transcriberEvent({ type: 'turn_started', turn: 0, text: 'a table' });
  call.transcriberEvent({ type: 'partial', turn: 0, text: 'a table for two' });
  await call.clock.advance(1_000);
  call.tick();
  expect(lines.at(-1)).toMatchObject({ role: 'user', text: 'a table for two', final: false });
  await call.close();
});
