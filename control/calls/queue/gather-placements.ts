import postgres from 'postgres';
import type { Clock } from '../../../shared/clock.ts';
import type { Sql } from '../../db/connect.ts';
import { type PlaceCallRequest, type PlacedCall, placeCall, placeCalls } from './place-call.ts';

interface Waiting {
  request: PlaceCallRequest;
  resolve(placed: PlacedCall): void;
  reject(error: unknown): void;
}

/** Calls of one statement. */
const MAX_SET = 100;
/** What comes waits so long for a set that is being placed; then it is placed beside it. */
const MAX_WAIT_MS = 100;

/**
 * Returns `placeCall` for many requests at once: those that come while others are placed are placed together, whatever their agents,
 * with as many statements as one. The first does not wait, and none waits for a row that another one's call needs.
 */
export function createPlacer({
  sql,
  clock,
}: {
  sql: Sql;
  clock: Pick<Clock, 'wall' | 'after'>;
}): (request: PlaceCallRequest) => Promise<PlacedCall> {
  const alone = ({ request, resolve, reject }: Waiting) => placeCall(sql, clock, request).then(resolve, reject);

  async function placeSet(set: readonly Waiting[]): Promise<void> {
    try {
      const requests = set.map(({ request }) => request);
      const outcomes = await placeCalls(sql, clock.wall(), requests);
      for (const [index, one] of set.entries()) {
        const outcome = outcomes[index]!;
        if (outcome instanceof Error) one.reject(outcome);
        else if (outcome) one.resolve(outcome);
        else void alone(one);
      }
    } catch (error) {
      // One that the database does not take, like a value that does not fit, fails alone: nothing was written.
      if (set.length > 1 && error instanceof postgres.PostgresError) await Promise.all(set.map(alone));
      else for (const { reject } of set) reject(error);
    }
  }

  function createSets() {
    const waiting: Waiting[] = [];
    let placing = false;
    const placeNext = () => {
      if (placing || waiting.length === 0) return;
      placing = true;
      let over = false;
      const next = () => {
        if (over) return;
        over = true;
        placing = false;
        placeNext();
      };
      const timer = clock.after(MAX_WAIT_MS, next);
      void placeSet(waiting.splice(0, MAX_SET)).finally(() => {
        timer.cancel();
        next();
      });
    };
    return (one: Waiting) => {
      waiting.push(one);
      placeNext();
    };
  }
  // Numbers that were requested are looked up otherwise.
  const [place, placeFromNumber] = [createSets(), createSets()];

  return (request) => {
    if (request.not_before) return placeCall(sql, clock, request);
    const add = request.from_number === undefined ? place : placeFromNumber;
    return new Promise((resolve, reject) => add({ request, resolve, reject }));
  };
}
