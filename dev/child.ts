import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A program started by us, in a process group of its own: a Ctrl-C in the terminal reaches only us, so that we
 * decide in which order things end. Output goes straight to a file, so that a busy program never waits for us.
 */
export interface Child {
  name: string;
  pid: number;
  logFile: string;
  /** How it ended, in words; resolves once, never rejects. */
  exited: Promise<string>;
  running(): boolean;
  /** The last lines of its output. */
  tail(lines?: number): string;
  /** Asks it to end, insists after `deadlineMs`, and sweeps away what it left in its group. Resolves when it is gone. */
  stop(signal: NodeJS.Signals, deadlineMs: number): Promise<void>;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  logFile: string;
  /** The signal the kernel sends it when we die without a word (`kill -9`). */
  onParentDeath?: NodeJS.Signals;
  /** Keeps its standard input open for as long as we live: the other way to notice our death (`shared/parent-watch.ts`). */
  watchParent?: boolean;
  /** Run as this user instead of root, see `dev/postgres.ts`. */
  asUser?: { uid: number; gid: number };
}

/** Throws when the program cannot be started at all. */
export async function startChild(options: ChildOptions): Promise<Child> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  const [command, ...args] = commandLine(options);
  let process_: ChildProcess;
  try {
    process_ = spawn(command!, args, {
      cwd: options.cwd,
      env: options.watchParent ? { ...(options.env ?? process.env), ANTIPHON_PARENT_WATCH: '1' } : options.env,
      stdio: [options.watchParent ? 'pipe' : 'ignore', log, log],
      detached: true,
    });
    await started(process_, options);
  } finally {
    closeSync(log);
  }
  // The pipe is only ever held open; that the other end went away is told by `exit`.
  process_.stdin?.on('error', () => {});
  const pid = process_.pid!;
  let end: string | undefined;
  const exited = new Promise<string>((resolve) => {
    process_.once('exit', (code, signal) => {
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
        process_.kill(signal);
        const insist = setTimeout(() => process_.kill('SIGKILL'), deadlineMs);
        await exited;
        clearTimeout(insist);
      }
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // The usual case: nothing was left in its group.
      }
    },
  };
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Media or control from its sources, watching over our life. */
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

/** `setpriv` is part of every Debian (util-linux); elsewhere a `kill -9` of ours may leave the program running. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

function commandLine(options: ChildOptions): string[] {
  const plain = [options.command, ...options.args];
  const setprivOptions: string[] = [];
  if (options.asUser) {
    if (!SETPRIV) throw new Error(`${options.name} refuses to run as root: start this as an ordinary user`);
    setprivOptions.push(`--reuid=${options.asUser.uid}`, `--regid=${options.asUser.gid}`, '--clear-groups');
    // A clone below /root is closed to every other user; this one right lets the program reach its own files there.
    // Without the last option the right would not hold where a program asks first, with access(2), as initdb does.
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
