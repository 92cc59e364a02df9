import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  advanceCircuit,
  type Circuit,
  type CircuitEvent,
  closedCircuit,
  FIRST_COOL_DOWN_MS,
  isUsable,
  MAX_COOL_DOWN_MS,
  MAX_USES,
  MIN_FAILED_SHARE,
  MIN_FAILURES,
  TRY_FOR_MS,
  USES_COUNT_FOR_MS,
} from '../../../media/provider/circuit.ts';
import { createHealth } from '../../../media/provider/health.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const FAILURE = { kind: 'timeout' as const, message: 'no first audio' };

function setUp() {
  const clock = createVirtualClock();
  const health = createHealth({ clock, log: createLogger('test', 'fatal') });
  const report = (outcomes: string) => {
    for (const outcome of outcomes) health.onOutcome('a', outcome === '+' ? null : FAILURE);
  };
  return { clock, health, report, healthy: () => health.unhealthyReason('a') === null };
}

describe('the health of a provider', () => {
  test.each(['-', '--', '+++-+', '-++++-+-', '+'.repeat(20) + '-'.repeat(9)])('is not lost with %s', (outcomes) => {
    const { report, healthy } = setUp();
    report(outcomes);
    expect(healthy()).toBe(true);
  });

  test.each(['---', '++---', '-+-+-', '+'.repeat(20) + '-'.repeat(10)])('is lost with %s', (outcomes) => {
    const { report, healthy, health } = setUp();
    report(outcomes);
    expect([healthy(), health.unhealthy()]).toEqual([false, ['a']]);
    expect(health.unhealthyReason('b')).toBeNull();
  });

  test('has a reason for the timeline', () => {
    const { report, health } = setUp();
    report('++---');
    expect(health.unhealthyReason('a')).toBe('3 of its last 5 uses failed, the last with timeout: no first audio');
  });

  test('is lost with the first refused key', () => {
    const { health, healthy } = setUp();
    health.onOutcome('a', { kind: 'auth', message: 'no such key' });
    expect(healthy()).toBe(false);
  });

  test('is not lost with failures that lie far apart', async () => {
    const { report, healthy, clock } = setUp();
    for (let failures = 0; failures < 10; failures++) {
      report('-');
      await clock.advance(USES_COUNT_FOR_MS / 2 + 1);
    }
    expect(healthy()).toBe(true);
  });

  test('is tried by one call after the cool-down, whose success restores it', async () => {
    const { report, healthy, health, clock } = setUp();
    report('---');
    await clock.advance(FIRST_COOL_DOWN_MS - 1);
    expect(healthy()).toBe(false);
    await clock.advance(1);
    expect(healthy()).toBe(true);
    health.onTried('a');
    expect(healthy()).toBe(false);
    report('+');
    expect([healthy(), health.unhealthy()]).toEqual([true, []]);
  });

  test('is tried again by another call when the first one ended without having used it', async () => {
    const { report, healthy, health, clock } = setUp();
    report('---');
    await clock.advance(FIRST_COOL_DOWN_MS);
    health.onTried('a');
    await clock.advance(TRY_FOR_MS);
    expect(healthy()).toBe(true);
  });

  test('costs fewer and fewer calls while the provider stays away', async () => {
    const { report, healthy, health, clock } = setUp();
    report('---');
    let tries = 0;
    for (let seconds = 0; seconds < 3_600; seconds++) {
      await clock.advance(1_000);
      if (!healthy()) continue;
      tries++;
      health.onTried('a');
      report('-');
    }
    expect(tries).toBeLessThanOrEqual(16);
  });
});

/** Calls that ask, start with the provider and end somehow, with times between them. */
const steps = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.nat(2_000), fc.nat(60_000), fc.nat(700_000)),
    event: fc.oneof(
      { weight: 3, arbitrary: fc.constant<CircuitEvent>({ type: 'answered' }) },
      {
        weight: 3,
        arbitrary: fc.constantFrom<CircuitEvent>(
          { type: 'failed', kind: 'timeout' },
          { type: 'failed', kind: 'unavailable' },
          { type: 'failed', kind: 'auth' },
        ),
      },
      { weight: 2, arbitrary: fc.constant<CircuitEvent>({ type: 'tried' }) },
    ),
  }),
  { maxLength: 200 },
);

test('any sequence of uses leaves a circuit that opens for enough failures only, lets one call try, and closes with a success', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let circuit: Circuit = closedCircuit;
      let nowMs = 0;
      for (const { afterMs, event } of sequence) {
        nowMs += afterMs;
        const before = Object.freeze(circuit);
        circuit = advanceCircuit(before, event, nowMs);
        expect(advanceCircuit(before, event, nowMs)).toEqual(circuit);
        expect(circuit.uses.length).toBeLessThanOrEqual(MAX_USES);
        if (!before.open && circuit.open) {
          const { failures, of } = circuit.open;
          expect(event.type).toBe('failed');
          const enough = failures >= MIN_FAILURES && failures >= of * MIN_FAILED_SHARE;
          expect(enough || (event.type === 'failed' && event.kind === 'auth')).toBe(true);
        }
        if (circuit.open && circuit.open.untilMs !== before.open?.untilMs) {
          const coolDownMs = circuit.open.untilMs - nowMs;
          expect(coolDownMs).toBeGreaterThanOrEqual(FIRST_COOL_DOWN_MS);
          expect(coolDownMs).toBeLessThanOrEqual(MAX_COOL_DOWN_MS);
          expect(isUsable(circuit, nowMs + coolDownMs - 1)).toBe(false);
          expect(isUsable(circuit, nowMs + coolDownMs)).toBe(true);
        }
        if (before.open && isUsable(before, nowMs)) {
          if (event.type === 'tried') {
            expect(isUsable(circuit, nowMs + TRY_FOR_MS - 1)).toBe(false);
            expect(isUsable(circuit, nowMs + TRY_FOR_MS)).toBe(true);
          } else expect(circuit.open === null).toBe(event.type === 'answered');
        }
      }
    }),
    { numRuns: 300 },
  );
});
