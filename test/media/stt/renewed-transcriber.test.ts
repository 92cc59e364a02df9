import { beforeEach, describe, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import { createRenewedTranscriber } from '../../../media/stt/renewed-transcriber.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

interface Session {
  emit: TranscriberListener;
  frames: number[];
  finalizes: number;
  closed: boolean;
}

let clock: VirtualClock;
let events: TranscriberEvent[];
let sessions: Session[];
let openFails: boolean;
let transcriber: Transcriber;

beforeEach(async () => {
  clock = createVirtualClock();
  events = [];
  sessions = [];
  openFails = false;
  transcriber = createRenewedTranscriber({
    ...{ clock, log: createLogger('test', 'silent'), renewAfterMs: 60_000 },
    listener: (event) => events.push(event),
    create,
  });
  await transcriber.open();
});

function create(emit: TranscriberListener): Transcriber {
  const session: Session = { emit, frames: [], finalizes: 0, closed: false };
  sessions.push(session);
  return {
    ...{ provider: 'test', model: 'm', input: MULAW_8K, decidesTurns: false },
    open: () => (openFails ? Promise.reject(new ProviderError('test', 'capacity', 'full')) : Promise.resolve()),
    audio(chunk) {
      // A frame is 160 bytes of its number; an overlap comes in one piece.
      for (let at = 0; at < chunk.length; at += 160) session.frames.push(chunk[at]!);
    },
    finalize: () => session.finalizes++,
    async close() {
      session.closed = true;
    },
  };
}

const say = (...frames: number[]) => {
  for (const frame of frames) transcriber.audio(new Uint8Array(160).fill(frame));
};
const at = (session: number) => sessions[session]!;

describe('a session that is old enough', () => {
  test('is replaced in a pause, and turns go on with their numbers', async () => {
    at(0).emit({ type: 'final', turn: 0, text: 'one' });
    await clock.advance(60_000);
    expect(sessions.map(({ closed }) => closed)).toEqual([true, false]);
    say(1);
    at(1).emit({ type: 'final', turn: 0, text: 'two' });
    expect(at(1).frames).toEqual([1]);
    expect(events).toMatchObject([
      { turn: 0, text: 'one' },
      { turn: 1, text: 'two' },
    ]);
  });

  test('stays while words are open, and the next one is given the audio after them', async () => {
    at(0).emit({ type: 'partial', turn: 0, text: 'on' });
    await clock.advance(60_000);
    expect(at(0).closed).toBe(false);
    say(1, 2);
    transcriber.finalize();
    say(3, 4);
    at(0).emit({ type: 'final', turn: 0, text: 'one' });
    await clock.advance(1_000);
    expect(at(0)).toMatchObject({ closed: true, frames: [1, 2, 3, 4], finalizes: 1 });
    expect(at(1)).toMatchObject({ closed: false, frames: [3, 4], finalizes: 0 });
    at(0).emit({ type: 'partial', turn: 1, text: 'late' });
    expect(events).toHaveLength(2);
  });

  test('stays when no other can be opened, until one can', async () => {
    openFails = true;
    await clock.advance(60_000);
    expect([at(0).closed, events]).toEqual([false, []]);
    openFails = false;
    await clock.advance(60_000);
    expect([at(0).closed, sessions.length]).toEqual([true, 3]);
  });

  test('stays when the next one fails before it took over', async () => {
    at(0).emit({ type: 'partial', turn: 0, text: 'on' });
    await clock.advance(60_000);
    at(1).emit({ type: 'failed', error: new ProviderError('test', 'unavailable', 'gone') });
    at(0).emit({ type: 'final', turn: 0, text: 'one' });
    await clock.advance(2_000);
    expect([sessions.map(({ closed }) => closed), events.length]).toEqual([[true, false, false], 2]);
  });
});

test('a failure of the session in use is reported, and close leaves no timer', async () => {
  at(0).emit({ type: 'failed', error: new ProviderError('test', 'unavailable', 'gone') });
  await transcriber.close();
  expect(events).toMatchObject([{ type: 'failed' }]);
  expect(clock.pending()).toBe(0);
});
