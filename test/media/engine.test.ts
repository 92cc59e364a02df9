import { expect, it } from 'vitest';
import { createAdmission, LOOK_EVERY_MS } from '../../media/admission.ts';
import { createEngine, type EngineOptions } from '../../media/engine.ts';
import type { Heartbeat } from '../../shared/bus/messages.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** An engine without a call whose beats come as late as the test says. */
function engineOf(maxCalls: number, publicUrl = '') {
  const clock = createVirtualClock();
  const heartbeats: Heartbeat[] = [];
  const lagCounts = new Uint32Array(201);
  const engine = createEngine({
    id: 'e',
    publicUrl,
    bus: { sendHeartbeat: (heartbeat: Heartbeat) => void heartbeats.push(heartbeat) },
    metronome: { lagCounts },
    admission: createAdmission({ maxCalls }),
    busyShare: () => 0.5,
    clock,
    log: createLogger('test', 'silent'),
  } as unknown as EngineOptions);
  return {
    engine,
    heartbeats,
    /** Looks at beats that are all so late. */
    async looks(times: number, lagMs: number) {
      for (let time = 0; time < times; time++) {
        lagCounts[lagMs]! += 1_000 / 20;
        await clock.advance(LOOK_EVERY_MS);
      }
    },
  };
}

it('says with every heartbeat how many calls it would take', async () => {
  const { engine, heartbeats, looks } = engineOf(12);
  expect(heartbeats.map(({ room }) => room)).toEqual([12]);
  await looks(11, 0);
  expect(heartbeats.map(({ room }) => room)).toEqual([12, 12]);
  expect(engine.accepting()).toBe(true);
  const drained = engine.drain(0);
  expect(engine.accepting()).toBe(false);
  expect(engine.load()).toMatchObject({ room: 0, draining: true });
  expect(heartbeats.at(-1)!.room).toBe(0);
  await drained;
});

it('tells its own address, when it has one', () => {
  expect(engineOf(1).heartbeats[0]).not.toHaveProperty('public_url');
  expect(engineOf(1, 'wss://one.example').heartbeats[0]).toMatchObject({ public_url: 'wss://one.example' });
});

it('tells at once that it is overloaded, and that it is so no more', async () => {
  const { engine, heartbeats, looks } = engineOf(500);
  const first = heartbeats[0]!.room!;
  await looks(2, 30);
  expect(engine.load().overloaded).toBe(false);
  await looks(1, 30);
  expect(engine.load().overloaded).toBe(true);
  expect(heartbeats).toHaveLength(2);
  expect(heartbeats[1]!.room).toBeLessThan(first);
  await looks(4, 1);
  expect(engine.load().overloaded).toBe(true);
  await looks(1, 1);
  expect(engine.load().overloaded).toBe(false);
  expect(heartbeats.at(-1)!.room).toBe(first);
  await engine.drain(0);
});
