import { describe, expect, it } from 'vitest';
import { createAdmission, SAMPLE_INTERVAL_MS } from '../../media/admission.ts';
import { PCM_8K } from '../../media/audio/format.ts';
import type { CarrierStream, UnsupportedStream } from '../../media/carrier-gateway.ts';
import { createEngine, type EngineOptions } from '../../media/engine.ts';
import type { CallEvent, Heartbeat, OpenSessionReply, OpenSessionRequest, Session } from '../../shared/bus/messages.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** An engine without calls whose ticks are as late as the test says, and a control that replies when it says so. */
function engineOf(maxCalls: number, publicUrl = '') {
  const clock = createVirtualClock();
  const heartbeats: Heartbeat[] = [];
  const requests: { request: OpenSessionRequest; reply(reply: OpenSessionReply): void }[] = [];
  const events: CallEvent[] = [];
  const counted: string[] = [];
  const lagCounts = new Uint32Array(201);
  const engine = createEngine({
    id: 'e',
    bus: {
      sendHeartbeat: (heartbeat: Heartbeat) => void heartbeats.push(heartbeat),
      openSession: (request: OpenSessionRequest) =>
        new Promise<OpenSessionReply>((reply) => requests.push({ request, reply })),
      publishEvent: async (event: CallEvent) => void events.push(event),
    },
    capturesDir: '',
    onEvent: (type: string) => void counted.push(type),
    mediaClock: { lagCounts },
    admission: createAdmission({ maxCalls }),
    threadUtilization: () => 0.5,
    clock,
    log: createLogger('test', 'silent'),
  } as unknown as EngineOptions);
  engine.start(publicUrl);
  return {
    engine,
    heartbeats,
    clock,
    requests,
    events,
    counted,
    /** Lets the engine sample ticks that are all this late. */
    async samples(times: number, lagMs: number) {
      for (let time = 0; time < times; time++) {
        lagCounts[lagMs]! += 1_000 / 20;
        await clock.advance(SAMPLE_INTERVAL_MS);
      }
    },
  };
}

it('reports its headroom with every heartbeat', async () => {
  const { engine, heartbeats, samples } = engineOf(12);
  expect(heartbeats.map(({ headroom }) => headroom)).toEqual([12]);
  await samples(11, 0);
  expect(heartbeats.map(({ headroom }) => headroom)).toEqual([12, 12]);
  expect(engine.accepting()).toBe(true);
  const drained = engine.drain(0);
  expect(engine.accepting()).toBe(false);
  expect(engine.load()).toMatchObject({ headroom: 0, draining: true });
  expect(heartbeats.at(-1)!.headroom).toBe(0);
  await drained;
});

it('reports its own address when it has one', () => {
  expect(engineOf(1).heartbeats[0]).not.toHaveProperty('public_url');
  expect(engineOf(1, 'wss://one.example').heartbeats[0]).toMatchObject({ public_url: 'wss://one.example' });
});

it('reports an overload and its end without waiting for the next heartbeat', async () => {
  const { engine, heartbeats, samples } = engineOf(500);
  const first = heartbeats[0]!.headroom!;
  await samples(2, 30);
  expect(engine.load().overloaded).toBe(false);
  await samples(1, 30);
  expect(engine.load().overloaded).toBe(true);
  expect(heartbeats).toHaveLength(2);
  expect(heartbeats[1]!.headroom).toBeLessThan(first);
  await samples(4, 1);
  expect(engine.load().overloaded).toBe(true);
  await samples(1, 1);
  expect(engine.load().overloaded).toBe(false);
  expect(heartbeats.at(-1)!.headroom).toBe(first);
  await engine.drain(0);
});

/** A carrier's stream of this call, and why it was rejected. */
function streamOf(call_id: string) {
  const seen = { rejected: [] as string[] };
  const leg = {
    carrier: 'twilio',
    format: PCM_8K,
    callerFormat: PCM_8K,
    capture: null,
    reject: (reason: string) => void seen.rejected.push(reason),
  };
  const token = { call_id, nonce: 'n', expires_at_ms: 0 };
  return Object.assign(seen, { stream: { token, leg, providerCallId: 'CA1' } as unknown as CarrierStream });
}

const GRANTED = { refused: '', session: { call_id: 'a', agent_json: '{}', user_data_json: '' } as Session };

it('streams admitted together do not exceed the headroom', async () => {
  const { engine, requests, clock } = engineOf(2);
  const streams = ['a', 'b', 'c'].map(streamOf);
  for (const { stream } of streams) engine.acceptStream(stream);
  await clock.advance(0);
  expect(requests.map(({ request }) => request.call_id)).toEqual(['a', 'b']);
  expect(streams.map(({ rejected }) => rejected)).toEqual([[], [], ['the engine takes no more calls']]);
});

it('a session that arrives when the time to drain is over ends its call as failed, and is waited for', async () => {
  const { engine, requests, events, clock } = engineOf(2);
  const seen = streamOf('a');
  engine.acceptStream(seen.stream);
  await clock.advance(0);
  let drained = false;
  const draining = engine.drain(1_000).then(() => {
    drained = true;
  });
  await clock.advance(1_500);
  expect(drained).toBe(false);
  requests[0]!.reply(GRANTED);
  await clock.advance(0);
  await draining;
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    call_id: 'a',
    seq: 1,
    type: 'call.ended',
    level: 'error',
    ending: { hangup_by: 'service', hangup_reason: 'error: engine stopped', duration_seconds: 0, recorded: false },
  });
  expect(seen.rejected).toEqual(['error: engine stopped']);
});

it('takes streams for two seconds of a drain, whose addresses were given out before, and waits for their calls', async () => {
  const { engine, requests, clock } = engineOf(2);
  const seen = streamOf('a');
  const began = Promise.withResolvers<void>();
  let drained = false;
  const draining = engine
    .drain(30_000, () => began.promise)
    .then(() => {
      drained = true;
    });
  expect([engine.accepting(), engine.takesStreams()]).toEqual([false, true]);
  await clock.advance(1_999);
  expect(engine.takesStreams()).toBe(true);
  await clock.advance(1);
  expect(engine.takesStreams()).toBe(false);
  engine.acceptStream(seen.stream);
  began.resolve();
  await clock.advance(1_000);
  expect([requests.length, drained, seen.rejected]).toEqual([1, false, []]);
  requests[0]!.reply({ refused: 'the call is over' });
  await clock.advance(0);
  await draining;
});

it('takes no stream while it drains without any time for it', async () => {
  const { engine } = engineOf(2);
  const draining = engine.drain(0);
  expect(engine.takesStreams()).toBe(false);
  await draining;
});

it('draining waits for outstanding session requests up to a deadline', async () => {
  const { engine, clock } = engineOf(2);
  engine.acceptStream(streamOf('a').stream);
  let drained = false;
  const draining = engine.drain(0).then(() => {
    drained = true;
  });
  await clock.advance(20_000);
  expect(drained).toBe(true);
  await draining;
});

it('a session that cannot be used ends its call as failed at once', async () => {
  const { engine, requests, events, clock } = engineOf(2);
  const seen = streamOf('a');
  engine.acceptStream(seen.stream);
  await clock.advance(0);
  requests[0]!.reply({ ...GRANTED, session: { ...GRANTED.session, agent_json: 'no agent' } });
  await clock.advance(0);
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    type: 'call.ended',
    ending: { hangup_by: 'service', hangup_reason: 'error: media' },
  });
  expect(seen.rejected).toEqual(['error: media']);
  expect(engine.liveCalls()).toBe(0);
  expect(engine.load().headroom).toBe(2);
});

it("a stream that control refuses is rejected with control's reason", async () => {
  const { engine, requests, events, clock } = engineOf(2);
  const seen = streamOf('a');
  engine.acceptStream(seen.stream);
  await clock.advance(0);
  requests[0]!.reply({ refused: 'the call is canceled' });
  await clock.advance(0);
  expect(seen.rejected).toEqual(['the call is canceled']);
  expect(events).toEqual([]);
});

describe('a stream with unsupported audio', () => {
  const reason = 'unsupported audio: G722 at 8000 Hz; set something';

  function unsupported(call_id: string) {
    const seen = { closed: 0 };
    const stream: UnsupportedStream = {
      token: { call_id, nonce: 'n', expires_at_ms: 0 },
      carrier: 'telnyx',
      providerCallId: 'v3:1',
      format: 'G722 at 8000 Hz',
      reason,
      close: () => void seen.closed++,
    };
    return Object.assign(seen, { stream });
  }

  it('ends its call as failed, with the reason on the timeline before its end, and is closed after it', async () => {
    const { engine, requests, events, counted, clock } = engineOf(2);
    const seen = unsupported('a');
    engine.endUnsupported(seen.stream);
    await clock.advance(0);
    expect(requests[0]!.request).toMatchObject({ call_id: 'a', carrier: 'telnyx', provider_call_id: 'v3:1' });
    expect(seen.closed).toBe(0);
    requests[0]!.reply(GRANTED);
    await clock.advance(0);
    expect(events).toMatchObject([
      {
        seq: 1,
        type: 'error',
        level: 'error',
        message: `the carrier sends ${reason}`,
        data_json: '{"component":"carrier","provider":"telnyx"}',
      },
      {
        seq: 2,
        type: 'call.ended',
        ending: { hangup_by: 'service', hangup_reason: 'error: unsupported audio, G722 at 8000 Hz' },
      },
    ]);
    expect(counted).toEqual(['error', 'call.ended']);
    expect(seen.closed).toBe(1);
    expect(engine.load()).toMatchObject({ calls: 0, headroom: 2 });
  });

  it('ends no call that control does not grant it', async () => {
    const { engine, requests, events, clock } = engineOf(2);
    const seen = unsupported('a');
    engine.endUnsupported(seen.stream);
    await clock.advance(0);
    requests[0]!.reply({ refused: 'the token was used before' });
    await clock.advance(0);
    expect([events.length, seen.closed]).toEqual([0, 1]);
  });

  it('is waited for when the engine drains', async () => {
    const { engine, requests, events, clock } = engineOf(2);
    engine.endUnsupported(unsupported('a').stream);
    await clock.advance(0);
    const draining = engine.drain(0);
    await clock.advance(500);
    requests[0]!.reply(GRANTED);
    await clock.advance(0);
    await draining;
    expect(events.map(({ type }) => type)).toEqual(['error', 'call.ended']);
  });
});
