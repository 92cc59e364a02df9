import { expect, test } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { startBookingCall } from './booking-call.ts';
import { createFailingEngine } from './engine.ts';
import { combineFailures, createFailure, KINDS, PARTS } from './failure.ts';
import { brokenInvariants } from './invariants.ts';

/**
 * Calls in which several parts fail at random moments, some for a while: SEED is the first seed, ROUNDS how many calls, 60 with
 * ALL=1.
 */

/** Seeds that have found something: a line that stood still from its first moment on counted the welcome as played. */
const FOUND = [3487];

const ROUNDS = Number(process.env.ROUNDS ?? (process.env.ALL ? 60 : 20));
const SEED = Number(process.env.SEED ?? 1);
const BATCH = 20;
const MAX_FAILURES = 4;
/** While a call without failures lasts. */
const STRIKES_WITHIN_MS = 25_000;
const HEALS_WITHIN_MS = 12_000;
const LONGEST_CALL_S = 700;

async function play(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const clock = createVirtualClock();
  const parts = new Set(Array.from({ length: 1 + Math.floor(random() * MAX_FAILURES) }, () => oneOf(PARTS, random)));
  const failures = [...parts].map((part) => {
    const kind = oneOf(KINDS, random);
    const failure = createFailure(part, kind, clock);
    const strikesMs = random() * STRIKES_WITHIN_MS;
    clock.after(strikesMs, () => failure.strike());
    if (random() < 0.5) clock.after(strikesMs + random() * HEALS_WITHIN_MS, () => failure.heal());
    return { part, kind, failure };
  });
  const all = combineFailures(failures.map(({ failure }) => failure));
  const engine = createFailingEngine(clock, all);
  const hasFallbacks = random() < 0.4;
  const call = startBookingCall(engine, { id: 'c'.repeat(32), failure: all, hasFallbacks });
  for (let second = 0; second < LONGEST_CALL_S && !call.end(); second++) await clock.advance(1_000);
  const ended = call.end() !== null;
  await clock.advance(80_000);
  for (const { failure } of failures) failure.heal();
  await clock.advance(10_000);
  await engine.close();
  const problems = [...(ended ? [] : ['it never ends']), ...brokenInvariants({ call, clock, engine })];
  const drawn = failures.map(({ part, kind }) => `${part} ${kind}`).join(', ');
  return problems.map((problem) => `seed ${seed} (${drawn}${hasFallbacks ? ', fallbacks' : ''}): ${problem}`);
}

function oneOf<One>(from: readonly One[], random: () => number): One {
  return from[Math.floor(random() * from.length)]!;
}

const firstSeeds = Array.from({ length: Math.ceil(ROUNDS / BATCH) }, (_, batch) => SEED + batch * BATCH);

test.each(FOUND)('the random failures of seed %i, which found something', async (seed) => {
  expect(await play(seed)).toEqual([]);
});

test.each(firstSeeds)('random failures from seed %i on', async (first) => {
  const problems: string[] = [];
  const rejections: unknown[] = [];
  const listen = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', listen);
  for (let seed = first; seed < Math.min(first + BATCH, SEED + ROUNDS); seed++) {
    problems.push(...(await play(seed)));
    for (const reason of rejections.splice(0)) problems.push(`seed ${seed}: unhandled rejection: ${reason}`);
  }
  process.off('unhandledRejection', listen);
  expect(problems).toEqual([]);
});
