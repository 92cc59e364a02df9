import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Pins a process with all its threads to one core. Returns false where there is only one, or no taskset. */
export function pin(pid: number, core: number): boolean {
  return cpus().length >= 2 && ran('taskset', '-acp', String(core), String(pid));
}

/**
 * Raises the priority of this session, or of another process's, including what it starts, where permitted. Linux shares time between sessions before
 * processes: sched(7), "The autogroup feature".
 */
export function raisePriority(pid = process.pid): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '-19');
    return true;
  } catch {
    return ran('renice', '-n', '-19', '-p', String(pid));
  }
}

function ran(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
