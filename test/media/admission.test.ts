import { describe, expect, it } from 'vitest';
import { createAdmission, type LoadSample, MIN_CALLS, SAMPLE_INTERVAL_MS } from '../../media/admission.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const CALM: LoadSample = { calls: 50, ticks: 50, lateTicks: 0, lagMs: 1, utilization: 0.25 };
const BAD: LoadSample = { ...CALM, lagMs: 40, lateTicks: 20 };

/** An engine whose thread is busy for so long in every second of a call, with callers that ring as often as they can. */
async function filledUp(busyPerCall: number, maxCalls: number, seconds: number) {
  const clock = createVirtualClock();
  const admission = createAdmission({ maxCalls });
  const history: number[] = [];
  let calls = 0;
  const look = () => {
    const busyShare = Math.min(1, calls * busyPerCall);
    const lagMs = busyShare < 0.9 ? 1 : 30;
    admission.observe({ calls, ticks: 50, lateTicks: lagMs > 20 ? 25 : 0, lagMs, utilization: busyShare });
    while (admission.headroom(calls) > 0) calls++;
    history.push(calls);
    clock.after(SAMPLE_INTERVAL_MS, look);
  };
  clock.after(0, look);
  await clock.advance(seconds * 1_000);
  return { admission, history, calls };
}

describe('admission', () => {
  it('takes as many calls as fit into three quarters of the thread, and never doubles faster than it looks', async () => {
    const { history, calls, admission } = await filledUp(1 / 200, 1_000, 60);
    expect(history.slice(0, 3)).toEqual([20, 40, 80]);
    for (const [at, count] of history.entries()) expect(count).toBeLessThanOrEqual(2 * (history[at - 1] ?? 10));
    expect(calls).toBeGreaterThanOrEqual(149);
    expect(calls).toBeLessThanOrEqual(150);
    expect(admission.overloaded).toBe(false);
  });

  it('never takes more than the setting allows', async () => {
    const { calls, admission } = await filledUp(1 / 1_000, 30, 20);
    expect(calls).toBe(30);
    expect(admission.headroom(30)).toBe(0);
    expect(admission.headroom(29)).toBe(1);
    expect(createAdmission({ maxCalls: 3 }).headroom(0)).toBe(3);
  });

  it('closes when beats are late for three looks in a row, not for one pause', () => {
    const admission = createAdmission({ maxCalls: 500 });
    admission.observe(CALM);
    expect(admission.headroom(50)).toBeGreaterThan(0);
    for (const look of [BAD, BAD, CALM, BAD, BAD]) admission.observe(look);
    expect(admission.overloaded).toBe(false);
    admission.observe(BAD);
    expect(admission.overloaded).toBe(true);
    expect(admission.headroom(50)).toBe(0);
  });

  it('opens again after five calm looks, and neither for fewer nor for middling ones', () => {
    const admission = createAdmission({ maxCalls: 500 });
    for (let time = 0; time < 3; time++) admission.observe(BAD);
    for (let time = 0; time < 4; time++) admission.observe(CALM);
    expect(admission.overloaded).toBe(true);
    for (let time = 0; time < 30; time++) admission.observe({ ...CALM, lagMs: 10 });
    expect(admission.overloaded).toBe(true);
    for (let time = 0; time < 5; time++) admission.observe(CALM);
    expect(admission.overloaded).toBe(false);
    expect(admission.headroom(50)).toBeGreaterThan(0);
  });

  it('does not flap between the two bounds', () => {
    const admission = createAdmission({ maxCalls: 500 });
    let changes = 0;
    let before = admission.overloaded;
    for (let time = 0; time < 200; time++) {
      admission.observe({ ...CALM, lagMs: time % 2 === 0 ? 14 : 7 });
      if (admission.overloaded !== before) changes++;
      before = admission.overloaded;
    }
    expect(changes).toBe(0);
  });

  it('takes a few calls on whatever machine: with hardly a call the lag is not its own', () => {
    const admission = createAdmission({ maxCalls: 500 });
    for (let time = 0; time < 10; time++) admission.observe({ ...BAD, calls: 2, utilization: 1 });
    expect(admission.headroom(2)).toBe(MIN_CALLS - 2);
    expect(admission.headroom(MIN_CALLS)).toBe(0);
  });

  it('counts late frames as much as lag', () => {
    const admission = createAdmission({ maxCalls: 500 });
    for (let time = 0; time < 3; time++) admission.observe({ ...CALM, lateTicks: 2 });
    expect(admission.overloaded).toBe(true);
  });

  it('counts calls and nothing else where it is told not to judge', () => {
    const admission = createAdmission({ maxCalls: 90, adaptive: false });
    for (let time = 0; time < 10; time++) admission.observe(BAD);
    expect(admission.overloaded).toBe(false);
    expect(admission.headroom(50)).toBe(40);
  });

  it('knows nothing of an engine without calls, and takes the first ones', () => {
    const admission = createAdmission({ maxCalls: 500 });
    expect(admission.headroom(0)).toBe(20);
    for (let time = 0; time < 5; time++)
      admission.observe({ calls: 0, ticks: 0, lateTicks: 0, lagMs: 0, utilization: 0 });
    expect(admission.overloaded).toBe(false);
    expect(admission.headroom(0)).toBe(20);
  });
});
