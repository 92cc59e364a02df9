/** More replies than this never overlap; older ids are dropped, so that a long call does not grow. */
const MAX_IDS = 64;

/**
 * Ids of contexts that ended or were cancelled. Text of a cancelled reply may still arrive after the cancellation and must
 * not open its context again.
 */
export interface ClosedContexts {
  add(contextId: string): void;
  has(contextId: string): boolean;
}

export function createClosedContexts(): ClosedContexts {
  const ids = new Set<string>();
  return {
    add(contextId) {
      ids.add(contextId);
      if (ids.size > MAX_IDS) ids.delete(ids.values().next().value!);
    },
    has: (contextId) => ids.has(contextId),
  };
}
