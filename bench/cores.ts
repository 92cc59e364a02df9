import { execFileSync, spawn } from 'node:child_process';
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

/**
 * Keeps the cores of a virtual machine from going to sleep: on each a shell spins with the policy SCHED_IDLE, behind everything else. Without
 * it a program that sleeps between two frames is charged for what the hypervisor does to wake it: by intervals of ten seconds the same bare
 * relay with one call took 1 to 19 seconds of processor time a minute on one machine, with it 1.3. Returns how to end it.
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

function ran(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
