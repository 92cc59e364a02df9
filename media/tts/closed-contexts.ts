/** More replies than this never overlap; older names are forgotten, so that a long call does not grow. */
const REMEMBERED = 64;

/**
 * The names of contexts that are over. A reply that was cancelled may still have a piece of text on its way to the
 * voice; a name found here keeps it from being spoken as something new.
 */
export interface ClosedContexts {
  add(contextId: string): void;
  has(contextId: string): boolean;
}

export function createClosedContexts(): ClosedContexts {
  const names = new Set<string>();
  return {
    add(contextId) {
      names.add(contextId);
      if (names.size > REMEMBERED) names.delete(names.values().next().value!);
    },
    has: (contextId) => names.has(contextId),
  };
}
