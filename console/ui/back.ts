type OnBack = (event: PopStateEvent) => void;

let onBack: OnBack | null = null;

/** Lets a page stop Back and Forward. Called before the router is there: browsers tell the listeners of a window in their order. */
export function watchBack(): void {
  addEventListener('popstate', (event) => onBack?.(event));
}

/** Calls this before the router hears of Back or Forward; returns what ends that. */
export function beforeBack(listener: OnBack): () => void {
  onBack = listener;
  return () => {
    if (onBack === listener) onBack = null;
  };
}
