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

/**
 * Returns `placeCall` for many requests at once: those for one agent that come while another one of it is placed are placed together,
 * with as many statements as one. The first does not wait, and agents do not wait for each other.
 */
export function createPlacer({
  sql,
  clock,
}: {
  sql: Sql;
  clock: Pick<Clock, 'wall'>;
}): (request: PlaceCallRequest) => Promise<PlacedCall> {
  const gathered = new Map<string, Waiting[]>();

  async function run(name: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) await placeSet(waiting.splice(0, MAX_SET));
    gathered.delete(name);
  }

  async function placeSet(set: readonly Waiting[]): Promise<void> {
    try {
      const requests = set.map(({ request }) => request);
      const placed = await placeCalls(sql, clock.wall(), requests[0]!, requests);
      for (const [index, { resolve }] of set.entries()) resolve(placed[index]!);
    } catch (error) {
      // One that the database does not take, like a value that does not fit, fails alone: nothing was written.
      if (set.length > 1 && error instanceof postgres.PostgresError)
        await Promise.all(set.map((one) => placeSet([one])));
      else for (const { reject } of set) reject(error);
    }
  }

  return (request) => {
    const { workspace_id, agent_id, from_number = '', not_before } = request;
    if (not_before) return placeCall(sql, clock, request);
    const name = `${workspace_id} ${agent_id} ${from_number}`;
    return new Promise((resolve, reject) => {
      const waiting = gathered.get(name) ?? [];
      waiting.push({ request, resolve, reject });
      if (gathered.has(name)) return;
      gathered.set(name, waiting);
      void run(name, waiting);
    });
  };
}
