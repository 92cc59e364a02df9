import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What became of a group's messages, as a line while it runs and one at its end. */

export const SEED = Number(process.env.SEED ?? 20_261_124);
const ALL = process.env.ALL === '1';
/** Messages of one kind of socket, and requests of one group of endpoints; a small part of them in `make test`. */
export const messagesOf = (small: number) => Number(process.env.COUNT ?? (ALL ? 1_000_000 : small));
export const requestsOf = (small: number) => Number(process.env.COUNT ?? (ALL ? 100_000 : small));

const PROGRESS_EVERY_MS = 10_000;
/** Growth between the first quarter and the end. Caches have their bounds below it. */
const HEAP_MAY_GROW_BYTES = 32 * 1024 * 1024;
/** Fewer messages say nothing about memory. */
const ENOUGH_FOR_MEMORY = 5_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export interface Tally {
  /** What was counted so far. */
  readonly count: number;
  /** Counts one message by what became of it, and the CPU time that this process spent on it. */
  add(outcome: string | number, cpuMs?: number): void;
  /** A violation of what must hold; the first ten are kept. */
  found(what: string): void;
  /** Writes the group's line and returns the findings. */
  end(): string[];
}

export function createTally(group: string, total: number): Tally {
  const outcomes = new Map<string, number>();
  const cpu: number[] = [];
  const findings: string[] = [];
  const quarter = Math.floor(total / 4);
  let count = 0;
  let heapAtQuarter = 0;
  let shownMs = Date.now();
  const beganMs = Date.now();

  const uncaught = (error: unknown) => found(`uncaught: ${error instanceof Error ? error.stack : String(error)}`);
  process.on('uncaughtException', uncaught);
  process.on('unhandledRejection', uncaught);

  function found(what: string): void {
    if (findings.length < 10) findings.push(what.slice(0, 2_000));
    outcomes.set('FOUND', (outcomes.get('FOUND') ?? 0) + 1);
  }

  const p99 = () => cpu.toSorted((a, b) => a - b)[Math.floor(cpu.length * 0.99)] ?? 0;
  const line = () => {
    const parts = [...outcomes].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, times]) => `${name}: ${times}`);
    return parts.join('  ');
  };

  return {
    get count() {
      return count;
    },
    add(outcome, cpuMs) {
      const name = String(outcome);
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
      if (cpuMs !== undefined) cpu.push(cpuMs);
      if (++count === quarter && total >= ENOUGH_FOR_MEMORY) heapAtQuarter = heapBytes();
      if (ALL && count % 256 === 0 && Date.now() - shownMs > PROGRESS_EVERY_MS) {
        shownMs = Date.now();
        writeSync(2, `${group}: ${count} of ${total}  ${line()}\n`);
      }
    },
    found,
    end() {
      process.off('uncaughtException', uncaught);
      process.off('unhandledRejection', uncaught);
      let memory = '';
      if (heapAtQuarter > 0) {
        const [before, after] = [heapAtQuarter, heapBytes()];
        const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
        memory = `  memory ${mib(before)} → ${mib(after)} MiB`;
        if (after - before > HEAP_MAY_GROW_BYTES) found(`memory grew from ${mib(before)} to ${mib(after)} MiB`);
      }
      if (ALL || findings.length > 0) {
        const cpuText = cpu.length > 0 ? `  CPU p99 ${p99().toFixed(1)} ms` : '';
        const seconds = Math.round((Date.now() - beganMs) / 1000);
        writeSync(2, `${group.padEnd(26)} ${count} in ${seconds} s  ${line()}${cpuText}${memory}\n`);
      }
      return findings;
    },
  };
}
