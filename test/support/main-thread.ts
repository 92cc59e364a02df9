import type { Browser, Page } from 'playwright-core';

/** A task of the page's main thread, in milliseconds. On a machine that others use too, `wall` has their time in it, `cpu` has not. */
export interface MainThreadTask {
  wall: number;
  cpu: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds; without `tdur` the task took less than one of CPU. */
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/** Returns what the page's main thread does while `act` runs, from Chromium's trace. */
export async function mainThreadTasks(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<MainThreadTask[]> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  let trace: Buffer;
  try {
    await act();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(String(trace));
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain';
  const main = new Set(traceEvents.filter(isMain).map(threadOf));
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && event.ph === 'X' && main.has(threadOf(event)))
    .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1_000, cpu: tdur / 1_000 }));
}
