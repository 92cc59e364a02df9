import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of other processes: who started whom, their time, their memory. */

/** Ticks per second of /proc/<pid>/stat (USER_HZ, proc_pid_stat(5)). */
const TICKS = 100;
const PAGE_BYTES = 4_096;

export function childrenOf(pid: number): number[] {
  return processes().flatMap(([child, parent]) => (parent === pid ? [child] : []));
}

/** All that it started, and what those started. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function processes(): [pid: number, parent: number][] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = statOf(Number(name));
      return fields ? [[Number(name), Number(fields[1])] as [number, number]] : [];
    });
}

/** The fields of /proc/<pid>/stat behind the name, proc_pid_stat(5); null when it has ended. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Its command line, words separated by NUL; empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** User and system time of these processes since they began; what has ended counts nothing. */
export function cpuSeconds(pids: readonly number[]): number {
  return (
    pids.map(statOf).reduce((sum, fields) => sum + (fields ? Number(fields[11]) + Number(fields[12]) : 0), 0) / TICKS
  );
}

/** User and system time of a process and all that it started, in seconds, also of those that have ended. */
export function processTreeSeconds(pid: number): number {
  // utime, stime, and the same of children that were waited for: fields 14 to 17.
  const ticksOf = (of: number) => (statOf(of) ?? []).slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + ticksOf(each), 0) / TICKS;
}

/** Resident memory; pages that several processes share count once for each. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(statOf(pid)?.[21] ?? 0), 0) * PAGE_BYTES;
}

/** Resident memory, rounded. */
export function megabytes(pids: readonly number[]): number {
  return Math.round(residentBytes(pids) / 2 ** 20);
}

/** Proportional set size (PSS): a page that several processes share counts once in their sum. proc_pid_smaps(5), `smaps_rollup`. */
export function proportionalMegabytes(pids: readonly number[]): number {
  const kilobytesOf = (pid: number) => {
    try {
      return Number(/^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  return pids.reduce((sum, pid) => sum + kilobytesOf(pid), 0) / 1_024;
}

/** Seconds that a process's first thread wanted to run and was not let: /proc/<pid>/schedstat, second field. */
export function waitedSeconds(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e9;
  } catch {
    return 0;
  }
}
