import type { Victim } from './crash-stack.ts';

/** What is done to the service, and when: drawn from a seed. */

export type Target = Exclude<Victim, 'nats' | 'postgres'> | 'engine-1' | 'engine-2';

export type Failure = { atMs: number; forMs: number } & (
  | { what: 'postgres' | 'nats'; how: 'frozen' | 'killed' }
  /** It takes every call and answers after 15 seconds or not at all. */
  | { what: 'carrier'; how: 'late or silent' }
  | { what: Target; how: 'killed' }
);

const CONTROLS = ['control-1', 'control-2'] as const;
/** Two real ones, two simulated ones. */
const ENGINES = ['media', 'media-2', 'engine-1', 'engine-2'] as const;
const MAX_DOWN_MS = 4_000;

/**
 * PostgreSQL away, NATS away, a carrier that does not answer, each for `failureMs`; then all three at once. Between them, and in the middle
 * of the last one, control and engines are killed.
 */
export function planFailures(random: () => number, failureMs: number): Failure[] {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const how = () => pick(['frozen', 'killed'] as const);
  const gapMs = failureMs / 4;
  const kill = (what: Target, aroundMs: number): Failure => ({
    ...{ what, how: 'killed', atMs: aroundMs + random() * gapMs, forMs: random() * MAX_DOWN_MS },
  });
  const start = (n: number) => gapMs + n * (failureMs + gapMs);
  const end = (n: number) => start(n) + failureMs;
  const offset = () => start(3) + random() * gapMs;
  const simulated = pick(['engine-1', 'engine-2'] as const);
  const failures: Failure[] = [
    { what: 'postgres', how: how(), atMs: start(0), forMs: failureMs },
    kill(pick(CONTROLS), end(0)),
    { what: 'nats', how: how(), atMs: start(1), forMs: failureMs },
    kill(pick(ENGINES), end(1)),
    { what: 'carrier', how: 'late or silent', atMs: start(2), forMs: failureMs },
    kill(pick(CONTROLS), end(2) - failureMs / 2),
    { what: 'postgres', how: how(), atMs: offset(), forMs: failureMs },
    { what: 'nats', how: how(), atMs: offset(), forMs: failureMs },
    { what: 'carrier', how: 'late or silent', atMs: offset(), forMs: failureMs },
    kill(pick(CONTROLS), start(3) + failureMs / 2),
    kill(simulated, start(3) + failureMs / 2),
  ];
  return failures.sort((a, b) => a.atMs - b.atMs);
}
