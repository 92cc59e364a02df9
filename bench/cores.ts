import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const CLOCK_TICKS = 100;
const PAGE_BYTES = 4_096;

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

/**
 * Keeps the cores of a virtual machine from going to sleep: on each a shell spins with the policy SCHED_IDLE, behind everything else. Without
 * it a program that sleeps between two frames is charged for what the hypervisor does to wake it: ten minutes of the same bare relay with one
 * call were 1 to 19 seconds of processor time each on one machine, with it 1.3. Returns how to end it.
 */
export function keepCoresAwake(): () => void {
  const spinners = cpus().map((_, core) => {
    // A session of its own, which comes after all others (sched(7), "The autogroup feature").
    const spin = 'echo 19 > /proc/self/autogroup; while :; do :; done';
    // It ends with this process, however that ends.
    const program = ['--pdeathsig', 'KILL', '--', 'chrt', '-i', '0', 'taskset', '-c', String(core), 'sh', '-c', spin];
    return spawn('setpriv', program, { stdio: 'ignore', detached: true }).on('error', () => {});
  });
  return () => {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  };
}

/** CPU time of a process since its start and its resident memory, from Linux. */
export function usageOf(pid: number): { cpuSeconds: number; rssBytes: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS, rssBytes: pages * PAGE_BYTES };
}

function ran(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
