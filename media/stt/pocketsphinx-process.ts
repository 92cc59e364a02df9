import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../shared/clock.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { onClock } from '../provider/connection-guard.ts';

/**
 * One run of `pocketsphinx_continuous` over one stretch of audio: it reads PCM16 at 16 kHz, and at the end of its input it
 * prints the transcript and exits. The transcript is complete when the process has exited, and no process outlives the
 * program that started it, because its input ends with that.
 */
export interface PocketsphinxProcess {
  /** Resolves when the program has been started; rejects when it cannot be. */
  readonly started: Promise<void>;
  /** Never waits. Beyond `maxWaitingBytes` not yet read by the process the oldest audio is dropped. */
  write(bytes: Uint8Array): void;
  /** Ends the input and resolves with the transcript, '' when it is empty. Rejects when the process fails or `deadlineMs` pass. */
  finish(deadlineMs: number): Promise<string>;
  /** Kills it; resolves when it has exited, or after a second at most. */
  kill(): Promise<void>;
  readonly droppedBytes: number;
}

export interface PocketsphinxProcessOptions {
  bin: string;
  args: readonly string[];
  maxWaitingBytes: number;
  clock: Clock;
  /** The process exited by itself. Called at most once, and not after `finish` or `kill`. */
  onExit: (reason: string) => void;
}

const MAX_OUTPUT_CHARS = 20_000;
const KILL_TIMEOUT_MS = 1_000;

export function startPocketsphinx(options: PocketsphinxProcessOptions): PocketsphinxProcess {
  const { clock, maxWaitingBytes } = options;
  // The program opens /dev/stdin by name, which Linux allows for a pipe and not for the socket that Node gives as
  // standard input; `cat` makes a pipe of it. The three are a process group, so that one signal kills all of them.
  // Their environment is nearly empty: they need no settings and must not see keys.
  // `cat` outlives a program that crashes, and the shell waits for both: so the exit code is written to a pipe of its own.
  const child = spawn('sh', ['-c', 'cat | { "$0" "$@" 3>&-; echo $? >&3; }', options.bin, ...options.args], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    detached: true,
    env: { PATH: process.env.PATH },
  }) as ChildProcessByStdio<Writable, Readable, null>;
  const ending = child.stdio[3] as Readable;
  let code = '';
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let blocked = false;
  let droppedBytes = 0;
  let expected = false;
  let output = '';

  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  started.catch(() => {});
  /** Why it exited, '' for success; resolves once its output has been read to the end. */
  const exited = new Promise<string>((resolve) => {
    child.once('close', (_, signal) => resolve(code === '0' ? '' : `exited with ${code ? `code ${code}` : signal}`));
    child.once('error', () => resolve('could not be started'));
  });
  const onExit = onClock(clock, options.onExit);
  void exited.then((reason) => {
    if (!expected) onExit(reason || 'exited early');
  });

  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    if (output.length < MAX_OUTPUT_CHARS) output += text;
  });
  ending.setEncoding('latin1');
  ending.on('data', (text: string) => {
    code = (code + text).trim();
    child.stdin.destroy();
  });
  for (const stream of [child.stdin, child.stdout, ending]) stream.on('error', () => {});
  child.stdin.on('drain', () => {
    blocked = false;
    flush();
  });

  function flush(): void {
    while (waiting.length > 0 && !blocked) {
      const bytes = waiting.shift()!;
      waitingBytes -= bytes.length;
      blocked = !child.stdin.destroyed && !child.stdin.write(bytes);
    }
  }

  function killAll(): void {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has exited in the meantime.
    }
  }

  async function kill(): Promise<void> {
    expected = true;
    waiting = [];
    waitingBytes = 0;
    killAll();
    await withTimeout(exited, KILL_TIMEOUT_MS, clock, () => {});
  }

  return {
    started,
    get droppedBytes() {
      return droppedBytes;
    },
    write(bytes) {
      if (expected) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      flush();
      while (waitingBytes > maxWaitingBytes && waiting.length > 1) {
        const oldest = waiting.shift()!;
        waitingBytes -= oldest.length;
        droppedBytes += oldest.length;
      }
    },
    async finish(deadlineMs) {
      expected = true;
      blocked = false;
      for (const bytes of waiting) child.stdin.write(bytes);
      waiting = [];
      waitingBytes = 0;
      child.stdin.end();
      const reason = await withTimeout(exited, deadlineMs, clock, () => `did not answer within ${deadlineMs} ms`);
      if (reason !== '') {
        killAll();
        throw new Error(reason);
      }
      // Each line is an utterance; `word(2)` is the second pronunciation of `word`.
      return output
        .replace(/\(\d+\)/g, '')
        .trim()
        .split(/\s+/)
        .join(' ');
    },
    kill,
  };
}
