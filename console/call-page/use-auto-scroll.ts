import { useEffect, useRef } from 'preact/hooks';

/** Within this distance of its end a list scrolls with added items. */
const FOLLOW_WITHIN_PX = 80;

/** Keeps a list scrolled to its end while items are added, unless the user scrolled up. Returns the props of its element. */
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
