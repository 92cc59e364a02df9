import { describe, expect, it } from 'vitest';
import { createAdmission, type LoadSample, MIN_CALLS, SAMPLE_INTERVAL_MS, tickStats } from '../../media/admission.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const CALM: LoadSample = { calls: 50, ticks: 50, lateTicks: 0, lagMs: 1, utilization: 0.25 };
const BAD: LoadSample = { ...CALM, lagMs: 40, lateTicks: 20 };

/** An engine whose calls each take `utilizationPerCall` of the thread, with a new caller for every free place. */
async function filledUp(utilizationPerCall: number, maxCalls: number, seconds: number) {
  const clock = createVirtualClock();
  const admission = createAdmission({ maxCalls });
  const history: number[] = [];
  let calls = 0;
  const sample = () => {
    const utilization = Math.min(1, calls * utilizationPerCall);
    const lagMs = utilization < 0.9 ? 1 : 30;
    admission.observe({ calls, ticks: 50, lateTicks: lagMs > 20 ? 25 : 0, lagMs, utilization });
    while (admission.headroom(calls) > 0) calls++;
    history.push(calls);
    clock.after(SAMPLE_INTERVAL_MS, sample);
  };
  clock.after(0, sample);
  await clock.advance(seconds * 1_000);
  return { admission, history, calls };
}

describe('admission', () => {
  it('takes as many calls as fit into three quarters of the thread, and at most doubles them per sample', async () => {
    const { history, calls, admission } = await filledUp(1 / 200, 1_000, 60);
    expect(history.slice(0, 3)).toEqual([20, 40, 80]);
    for (const [at, count] of history.entries()) expect(count).toBeLessThanOrEqual(2 * (history[at - 1] ?? 10));
    expect(calls).toBeGreaterThanOrEqual(149);
    expect(calls).toBeLessThanOrEqual(150);
    expect(admission.overloaded).toBe(false);
  });

  it('never exceeds maxCalls', async () => {
    const { calls, admission } = await filledUp(1 / 1_000, 30, 20);
    expect(calls).toBe(30);
    expect(admission.headroom(30)).toBe(0);
    expect(admission.headroom(29)).toBe(1);
    expect(createAdmission({ maxCalls: 3 }).headroom(0)).toBe(3);
  });

  it('is overloaded after three late samples in a row, not after one pause', () => {
    const admission = createAdmission({ maxCalls: 500 });
    admission.observe(CALM);
    expect(admission.headroom(50)).toBeGreaterThan(0);
    for (const sample of [BAD, BAD, CALM, BAD, BAD]) admission.observe(sample);
    expect(admission.overloaded).toBe(false);
    admission.observe(BAD);
    expect(admission.overloaded).toBe(true);
    expect(admission.headroom(50)).toBe(0);
  });

  it('recovers after five calm samples, not after fewer nor between the two thresholds', () => {
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

  it('does not flap between the two thresholds', () => {
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

  it('always admits a few calls, whose lag comes from elsewhere', () => {
    const admission = createAdmission({ maxCalls: 500 });
    for (let time = 0; time < 10; time++) admission.observe({ ...BAD, calls: 2, utilization: 1 });
    expect(admission.headroom(2)).toBe(MIN_CALLS - 2);
    expect(admission.headroom(MIN_CALLS)).toBe(0);
  });

  it('treats late ticks as overload, as it does lag', () => {
    const admission = createAdmission({ maxCalls: 500 });
    for (let time = 0; time < 3; time++) admission.observe({ ...CALM, lateTicks: 2 });
    expect(admission.overloaded).toBe(true);
  });

  it('counts only calls when it is not adaptive', () => {
    const admission = createAdmission({ maxCalls: 90, adaptive: false });
    for (let time = 0; time < 10; time++) admission.observe(BAD);
    expect(admission.overloaded).toBe(false);
    expect(admission.headroom(50)).toBe(40);
  });

  it('admits the first calls of an engine without measurements', () => {
    const admission = createAdmission({ maxCalls: 500 });
    expect(admission.headroom(0)).toBe(20);
    for (let time = 0; time < 5; time++)
      admission.observe({ calls: 0, ticks: 0, lateTicks: 0, lagMs: 0, utilization: 0 });
    expect(admission.overloaded).toBe(false);
    expect(admission.headroom(0)).toBe(20);
  });
});

describe('the lateness of ticks', () => {
  const stats = (counts: Record<number, number>) => {
    const lagCounts = new Uint32Array(200);
    for (const [ms, count] of Object.entries(counts)) lagCounts[Number(ms)] = count;
    return tickStats(lagCounts);
  };

  it('is the one that 95 in 100 do not exceed', () => {
    expect(stats({ 0: 95, 30: 5 })).toEqual({ ticks: 100, lateTicks: 5, lagMs: 0 });
    expect(stats({ 0: 94, 7: 1, 30: 5 }).lagMs).toBe(7);
    expect(stats({ 0: 94, 30: 6 }).lagMs).toBe(30);
    expect(stats({ 3: 1 }).lagMs).toBe(3);
  });

  it('counts as late from 20 ms on, and is nothing without ticks', () => {
    expect(stats({ 19: 1, 20: 1, 199: 2 })).toMatchObject({ ticks: 4, lateTicks: 3 });
    expect(stats({})).toEqual({ ticks: 0, lateTicks: 0, lagMs: 0 });
  });
});
