import {
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';

interface VirtualRows {
  /** Goes to the element that holds the rows; its height is `heightPx`. */
  list: { current: HTMLElement | null };
  /** The rows to draw, each at `start` pixels from the list's top. */
  rows: VirtualItem[];
  heightPx: number;
}

/** Draws of a long list only the rows that are in the window, which scrolls. */
export function useVirtualRows(count: number, rowHeightPx: number): VirtualRows {
  const list = useRef<HTMLElement>(null);
  const [, draw] = useReducer((times: number, _change: unknown) => times + 1, 0);
  const virtualizer = useMemo(
    () =>
      new Virtualizer<Window, Element>({
        count: 0,
        getScrollElement: () => window,
        estimateSize: () => rowHeightPx,
        observeElementRect: observeWindowRect,
        observeElementOffset: observeWindowOffset,
        scrollToFn: windowScroll,
        initialOffset: () => window.scrollY,
        // More would be drawn for nothing by who scrolls fast, who passes by all of them.
        overscan: 4,
        onChange: draw,
      }),
    [rowHeightPx],
  );
  virtualizer.setOptions({ ...virtualizer.options, count, scrollMargin: list.current?.offsetTop ?? 0 });
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { list, rows: virtualizer.getVirtualItems(), heightPx: virtualizer.getTotalSize() };
}
