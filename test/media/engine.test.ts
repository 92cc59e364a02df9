import { expect, it } from 'vitest';
import { createAdmission, SAMPLE_INTERVAL_MS } from '../../media/admission.ts';
import { PCM_8K } from '../../media/audio/format.ts';
import type { CarrierStream } from '../../media/carrier-gateway.ts';
import { createEngine, type EngineOptions } from '../../media/engine.ts';
import type { CallEvent, Heartbeat, OpenSessionReply, OpenSessionRequest, Session } from '../../shared/bus/messages.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** An engine without a call whose beats come as late as the test says, and a control that answers when it says so. */
function engineOf(maxCalls: number, publicUrl = '') {
  const clock = createVirtualClock();
  const heartbeats: Heartbeat[] = [];
  const asked: { request: OpenSessionRequest; answer(reply: OpenSessionReply): void }[] = [];
  const events: CallEvent[] = [];
  const lagCounts = new Uint32Array(201);
  const engine = createEngine({
    id: 'e',
    publicUrl,
    bus: {
      sendHeartbeat: (heartbeat: Heartbeat) => void heartbeats.push(heartbeat),
      openSession: (request: OpenSessionRequest) =>
        new Promise<OpenSessionReply>((answer) => asked.push({ request, answer })),
      publishEvent: async (event: CallEvent) => void events.push(event),
    },
    tapesDir: '',
    metronome: { lagCounts },
    admission: createAdmission({ maxCalls }),
    busyShare: () => 0.5,
    clock,
    log: createLogger('test', 'silent'),
  } as unknown as EngineOptions);
  return {
    engine,
    heartbeats,
    clock,
    asked,
    events,
    /** Looks at beats that are all so late. */
    async looks(times: number, lagMs: number) {
      for (let time = 0; time < times; time++) {
        lagCounts[lagMs]! += 1_000 / 20;
        await clock.advance(SAMPLE_INTERVAL_MS);
      }
    },
  };
}

it('says with every heartbeat how many calls it would take', async () => {
  const { engine, heartbeats, looks } = engineOf(12);
  expect(heartbeats.map(({ headroom: room }) => room)).toEqual([12]);
  await looks(11, 0);
  expect(heartbeats.map(({ headroom: room }) => room)).toEqual([12, 12]);
  expect(engine.accepting()).toBe(true);
  const drained = engine.drain(0);
  expect(engine.accepting()).toBe(false);
  expect(engine.load()).toMatchObject({ room: 0, draining: true });
  expect(heartbeats.at(-1)!.headroom).toBe(0);
  await drained;
});

it('tells its own address, when it has one', () => {
  expect(engineOf(1).heartbeats[0]).not.toHaveProperty('public_url');
  expect(engineOf(1, 'wss://one.example').heartbeats[0]).toMatchObject({ public_url: 'wss://one.example' });
});

it('tells at once that it is overloaded, and that it is so no more', async () => {
  const { engine, heartbeats, looks } = engineOf(500);
  const first = heartbeats[0]!.headroom!;
  await looks(2, 30);
  expect(engine.load().overloaded).toBe(false);
  await looks(1, 30);
  expect(engine.load().overloaded).toBe(true);
  expect(heartbeats).toHaveLength(2);
  expect(heartbeats[1]!.headroom).toBeLessThan(first);
  await looks(4, 1);
  expect(engine.load().overloaded).toBe(true);
  await looks(1, 1);
  expect(engine.load().overloaded).toBe(false);
  expect(heartbeats.at(-1)!.headroom).toBe(first);
  await engine.drain(0);
});

/** A carrier's stream of this call, and whether it was hung up. */
function streamOf(call_id: string) {
  const seen = { hungUp: 0 };
  const leg = {
    carrier: 'twilio',
    format: PCM_8K,
    callerFormat: PCM_8K,
    tap: null,
    hangUp: () => void seen.hungUp++,
  };
  const token = { call_id, nonce: 'n', expires_at_ms: 0 };
  return Object.assign(seen, { stream: { token, leg, providerCallId: 'CA1' } as unknown as CarrierStream });
}

const GRANTED = { refused: '', session: { call_id: 'a', agent_json: '{}', user_data_json: '' } as Session };

it('streams that were let in together do not get more calls than there is room for', async () => {
  const { engine, asked, clock } = engineOf(2);
  const streams = ['a', 'b', 'c'].map(streamOf);
  for (const { stream } of streams) engine.acceptStream(stream);
  await clock.advance(0);
  expect(asked.map(({ request }) => request.call_id)).toEqual(['a', 'b']);
  expect(streams.map(({ hungUp }) => hungUp)).toEqual([0, 0, 1]);
});

it('a call that control gave us while we were leaving ends as failed, and is waited for', async () => {
  const { engine, asked, events, clock } = engineOf(2);
  const seen = streamOf('a');
  engine.acceptStream(seen.stream);
  await clock.advance(0);
  let left = false;
  const leaving = engine.drain(1_000).then(() => {
    left = true;
  });
  await clock.advance(500);
  expect(left).toBe(false);
  asked[0]!.answer(GRANTED);
  await clock.advance(0);
  await leaving;
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    call_id: 'a',
    seq: 1,
    type: 'call.ended',
    level: 'error',
    ending: { hangup_by: 'service', hangup_reason: 'error: engine stopped', duration_seconds: 0, recorded: false },
  });
  expect(seen.hungUp).toBe(1);
});

it('an engine that leaves waits for the answers to its questions, but not for ever', async () => {
  const { engine, clock } = engineOf(2);
  engine.acceptStream(streamOf('a').stream);
  let left = false;
  const leaving = engine.drain(0).then(() => {
    left = true;
  });
  await clock.advance(20_000);
  expect(left).toBe(true);
  await leaving;
});

it('a call that cannot be made of what control gave ends as failed, at once', async () => {
  const { engine, asked, events, clock } = engineOf(2);
  const seen = streamOf('a');
  engine.acceptStream(seen.stream);
  await clock.advance(0);
  asked[0]!.answer({ ...GRANTED, session: { ...GRANTED.session, agent_json: 'no agent' } });
  await clock.advance(0);
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    type: 'call.ended',
    ending: { hangup_by: 'service', hangup_reason: 'error: media' },
  });
  expect(seen.hungUp).toBe(1);
  expect(engine.liveCalls()).toBe(0);
  expect(engine.load().headroom).toBe(2);
});
