import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second of /proc/<pid>/stat (USER_HZ, proc_pid_stat(5)). */
const TICKS = 100;

/** Processor time in seconds of a process and all that it started, also of those that have ended. Linux only. */
export function processTreeSeconds(pid: number): number {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    } catch {
      continue; // Ended since.
    }
    // The second field is the program's name in brackets and may hold anything; the third is what comes after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const parent = Number(fields[1]);
    // utime, stime, and the same of children that were waited for: fields 14 to 17.
    const own = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    ticks.set(Number(name), own);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const sum = (of: number): number =>
    (children.get(of) ?? []).reduce((total, child) => total + sum(child), ticks.get(of) ?? 0);
  return sum(pid) / TICKS;
}
