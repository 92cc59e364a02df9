/** Leaving a page that would lose something: what leads away asks the page first. */

export interface LeavingGuard {
  /** Before the router hears of Back or Forward. */
  onBack: (event: PopStateEvent) => void;
  /** Asks the person, who may agree to `go`. */
  ask: (go: () => void) => void;
}

const guards = new Set<LeavingGuard>();

const lastGuard = (): LeavingGuard | undefined => [...guards].at(-1);

/** Lets a page stop Back and Forward. Called before the router is there: browsers tell the listeners of a window in their order. */
export function watchBack(): void {
  addEventListener('popstate', (event) => lastGuard()?.onBack(event));
}

/** Guards the page until the returned function is called. */
export function guardLeaving(guard: LeavingGuard): () => void {
  guards.add(guard);
  return () => void guards.delete(guard);
}

/** Leaves the page by something other than a link, such as signing out: at once, or when the person agrees. */
export function leave(go: () => void): void {
  const guard = lastGuard();
  if (guard) guard.ask(go);
  else go();
}
