import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A child process in its own process group: Ctrl-C in the terminal reaches only the parent, which then decides the order in
 * which children end. Output goes directly to a file, so that a child never blocks on a pipe.
 */
export interface Child {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves with a description of how it ended; never rejects. */
  exited: Promise<string>;
  running(): boolean;
  /** Returns the last lines of its output. */
  tail(lines?: number): string;
  /** Sends the signal, SIGKILL after `deadlineMs`, and SIGKILL to the rest of its group. Resolves when it has exited. */
  stop(signal: NodeJS.Signals, deadlineMs: number): Promise<void>;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  logFile: string;
  /** The signal that the kernel sends it when the parent dies, even by `kill -9`. */
  onParentDeath?: NodeJS.Signals;
  /** Keeps its standard input open while the parent lives: the other way to detect the parent's death (`shared/parent-watch.ts`). */
  watchParent?: boolean;
  /** Runs as this user instead of root, see `dev/postgres.ts`. */
  asUser?: { uid: number; gid: number };
}

/** Starts the program; throws when it cannot be started. */
export async function startChild(options: ChildOptions): Promise<Child> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  const [command, ...args] = commandLine(options);
  let child: ChildProcess;
  try {
    child = spawn(command!, args, {
      cwd: options.cwd,
      env: options.watchParent ? { ...(options.env ?? process.env), ANTIPHON_PARENT_WATCH: '1' } : options.env,
      stdio: [options.watchParent ? 'pipe' : 'ignore', log, log],
      detached: true,
    });
    await started(child, options);
  } finally {
    closeSync(log);
  }
  // The pipe is only held open; `exit` reports that the child is gone.
  child.stdin?.on('error', () => {});
  const pid = child.pid!;
  let end: string | undefined;
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      end = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      resolve(end);
    });
  });

  return {
    name: options.name,
    pid,
    logFile: options.logFile,
    exited,
    running: () => end === undefined,
    tail: (lines = 12) => lastLines(options.logFile, lines),
    async stop(signal, deadlineMs) {
      if (end === undefined) {
        child.kill(signal);
        const killTimer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
        await exited;
        clearTimeout(killTimer);
      }
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // The group is usually empty.
      }
    },
  };
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Starts media or control from its sources; it exits when the parent dies. */
export function startProgram(
  program: 'control' | 'media',
  { name = program, env, logFile }: { name?: string; env: NodeJS.ProcessEnv; logFile: string },
): Promise<Child> {
  const args = ['--disable-warning=ExperimentalWarning', `${program}/main.ts`];
  return startChild({ name, command: process.execPath, args, env, cwd: ROOT, logFile, watchParent: true });
}

function started(child: ChildProcess, options: ChildOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${options.name} cannot be started: ${error.message}`)));
  });
}

/** `setpriv` of util-linux. Without it a `kill -9` of the parent may leave the program running. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

function commandLine(options: ChildOptions): string[] {
  const plain = [options.command, ...options.args];
  const setprivOptions: string[] = [];
  if (options.asUser) {
    if (!SETPRIV) throw new Error(`${options.name} refuses to run as root: start this as an ordinary user`);
    setprivOptions.push(`--reuid=${options.asUser.uid}`, `--regid=${options.asUser.gid}`, '--clear-groups');
    // Other users cannot enter a clone below /root; this capability lets the program read its own files there.
    // Without the last option access(2), which initdb calls, would ignore the capability.
    setprivOptions.push('--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup');
  }
  if (options.onParentDeath) setprivOptions.push('--pdeathsig', options.onParentDeath.replace('SIG', ''));
  if (!SETPRIV || setprivOptions.length === 0) return plain;
  return [SETPRIV, ...setprivOptions, '--', ...plain];
}

export function lastLines(file: string, lines: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
