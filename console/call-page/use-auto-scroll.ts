import { useEffect, useRef } from 'preact/hooks';

/** How near to its end one must be for a list to follow what is added, in pixels. */
const FOLLOW_WITHIN_PX = 80;

/** A list that stays at its end while things are added, until somebody scrolls up to read. Props for its element. */
export function useAutoScroll<Of extends HTMLElement>(added: unknown) {
  const list = useRef<Of>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (follows.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [added]);
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const resized = new ResizeObserver(() => {
      if (follows.current) element.scrollTo({ top: element.scrollHeight });
    });
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return {
    ref: list,
    onScroll({ currentTarget }: { currentTarget: Of }) {
      const { scrollHeight, scrollTop, clientHeight } = currentTarget;
      follows.current = scrollHeight - scrollTop - clientHeight < FOLLOW_WITHIN_PX;
    },
  };
}
