import { conflict } from './errors.ts';

/**
 * Admits one more task of a workspace. @returns the release, to be called once. @throws HttpError 409 while `max` are running.
 */
export type ConcurrencyLimiter = (workspaceId: string) => () => void;

/**
 * Limits expensive work to `max` tasks per workspace, in this process. `activity` stands in the error message: `analyses run`.
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
