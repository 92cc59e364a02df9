import { conflict } from './errors.ts';

/** Lets a workspace in. @returns how it leaves; to be called once. @throws HttpError 409 while there is no room. */
export type ConcurrencyLimiter = (workspaceId: string) => () => void;

/**
 * Work that is dear: each workspace may have `most` of it under way, in this process. `doing` stands in the refusal:
 * `analyses run`.
 */
export function createConcurrencyLimiter(max: number, activity: string): ConcurrencyLimiter {
  const running = new Map<string, number>();
  return (workspaceId) => {
    const count = running.get(workspaceId) ?? 0;
    if (count >= max) throw conflict(`only ${max} ${activity} at once; try again shortly`);
    running.set(workspaceId, count + 1);
    return () => {
      const left = (running.get(workspaceId) ?? 1) - 1;
      if (left > 0) running.set(workspaceId, left);
      else running.delete(workspaceId);
    };
  };
}
