import type { SearchResult } from '../generated/api.ts';
import type { PageLink } from '../page-links.ts';
import { foundDetail } from './found-detail.ts';

/** What the palette lists, without browser APIs. */

export interface PaletteEntry {
  id: string;
  text: string;
  /** A second, quiet text. */
  detail: string;
  /** Empty: it is no page. */
  href: string;
}

export interface PaletteProps {
  pages: readonly PageLink[];
  onClose: () => void;
  /** Shows the keys instead. */
  onHelp: () => void;
}

export interface PaletteGroup {
  title: string;
  entries: readonly PaletteEntry[];
}

/** Those that have every word of the question, in their order. */
export function fitting(entries: readonly PaletteEntry[], question: string): PaletteEntry[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ text, detail }) => {
    const all = `${text} ${detail}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

interface FoundTitles {
  agents: string;
  calls: string;
  batches: string;
  knowledge_bases: string;
  numbers: string;
}

const PATHS: Record<keyof FoundTitles, (id: string) => string> = {
  agents: (id) => `/agents/${id}`,
  calls: (id) => `/calls/${id}`,
  batches: (id) => `/batches/${id}`,
  knowledge_bases: (id) => `/knowledge/${id}`,
  // Numbers have no page of their own.
  numbers: () => '/numbers',
};

/** What the service found, by kind; kinds without anything are left out. */
export function foundGroups(found: SearchResult, titles: FoundTitles): PaletteGroup[] {
  return (Object.keys(PATHS) as (keyof FoundTitles)[]).flatMap((kind) => {
    const entries = found[kind].map(({ id, title, subtitle }) => ({
      ...{ id: `${kind}-${id}`, text: title, detail: foundDetail(kind, subtitle), href: PATHS[kind](id) },
    }));
    return entries.length === 0 ? [] : [{ title: titles[kind], entries }];
  });
}

/** The entry that an arrow key goes to; it goes round at the ends. */
export function nextIndex(at: number, key: 'ArrowDown' | 'ArrowUp', count: number): number {
  if (count === 0) return 0;
  return (at + (key === 'ArrowDown' ? 1 : -1) + count) % count;
}
