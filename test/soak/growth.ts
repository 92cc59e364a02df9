import type { Holdings } from '../support/media-probe.ts';

/** Resource samples of the soak tests, their table, and the check for growth. */

const NAMES = ['heapMiB', 'rssMiB', 'externalMiB', 'fds', 'threads', 'resources', 'listeners'] as const;
/** Amounts of a media process' resources by name, or their allowed growth. */
export type Amounts = Record<(typeof NAMES)[number], number>;

/** Throws after a MaxListenersExceeded warning. */
export function amountsOf(holdings: Holdings): Amounts {
  if (holdings.leakWarnings > 0) throw new Error('the process warned of too many listeners on an emitter');
  const mib = (bytes: number) => bytes / 2 ** 20;
  return {
    heapMiB: mib(holdings.heapBytes),
    rssMiB: mib(holdings.rssBytes),
    externalMiB: mib(holdings.externalBytes),
    fds: holdings.fds,
    threads: holdings.threads,
    resources: holdings.resources,
    listeners: holdings.listeners,
  };
}

const cell = (text: string) => text.padStart(12);

/** The header of the table; the first and last columns are the caller's. */
export function amountsHeader(first: string, ...last: readonly string[]): string {
  return [first, ...NAMES, ...last].map(cell).join('');
}

export function amountsLine(first: string, amounts: Amounts, ...last: readonly string[]): string {
  const numbers = NAMES.map((name) => amounts[name].toFixed(name.endsWith('MiB') ? 1 : 0));
  return [first, ...numbers, ...last].map(cell).join('');
}

/** Growth from the mean of some samples to the mean of later ones. */
export function growth(early: readonly Amounts[], late: readonly Amounts[]): Amounts {
  const mean = (samples: readonly Amounts[], name: keyof Amounts) =>
    samples.reduce((sum, amounts) => sum + amounts[name], 0) / samples.length;
  return Object.fromEntries(NAMES.map((name) => [name, mean(late, name) - mean(early, name)])) as Amounts;
}

/** Prints both, and returns whether all growth is within its limits. */
export function grown(found: Amounts, allowed: Amounts): string[] {
  console.log(`\n${amountsHeader('')}`);
  console.log(amountsLine('growth', found));
  console.log(amountsLine('allowed', allowed));
  return NAMES.filter((name) => found[name] > allowed[name]);
}
