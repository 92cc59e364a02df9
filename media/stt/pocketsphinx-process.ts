import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../shared/clock.ts';

/**
 * One run of `pocketsphinx_continuous` over one stretch of sound: PCM16 at 16 kHz goes in as it is heard, the end of
 * its input makes it print what it understood and leave. So the answer is complete when the process is gone, and no
 * process outlives the program that started it, however that ends: its input ends with it.
 */
export interface PocketsphinxProcess {
  /** Settles when the program has been started; rejects when it cannot be. */
  readonly started: Promise<void>;
  /** Never waits. Beyond `maxWaitingBytes` not yet taken by the process the oldest sound is left out. */
  write(bytes: Uint8Array): void;
  /** No more sound: the words, '' when there are none. Rejects when the process fails or `deadlineMs` pass. */
  finish(deadlineMs: number): Promise<string>;
  /** Ends it at once; settles when it is gone, or after a second at most. */
  kill(): Promise<void>;
  readonly droppedBytes: number;
}

export interface PocketsphinxProcessOptions {
  bin: string;
  args: readonly string[];
  maxWaitingBytes: number;
  clock: Clock;
  /** It ended before it was asked to. At most once, and not after `finish` or `kill`. */
  onDeath: (reason: string) => void;
}

const MAX_OUTPUT_CHARS = 20_000;
const KILL_WAIT_MS = 1_000;

export function startPocketsphinx(options: PocketsphinxProcessOptions): PocketsphinxProcess {
  const { clock, maxWaitingBytes } = options;
  // The program opens /dev/stdin by name, which Linux allows for a pipe and not for the socket that Node gives as
  // standard input; `cat` makes a pipe of it. The three are a process group, so that one signal ends all of them.
  // Their environment holds nothing of ours: they need none of the settings, least of all the keys.
  // `cat` would outlive a program that dies, and the shell waits for both: the program's end is told by itself.
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
  let answer = '';

  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  started.catch(() => {});
  /** How it ended, told once its output has been read to the end. */
  const gone = new Promise<string>((resolve) => {
    child.once('close', (_, signal) => resolve(code === '0' ? '' : `ended with ${code ? `code ${code}` : signal}`));
    child.once('error', () => resolve('could not be started'));
  });
  void gone.then((reason) => {
    if (!expected) options.onDeath(reason || 'ended by itself');
  });

  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    if (answer.length < MAX_OUTPUT_CHARS) answer += text;
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
      // Gone in the meantime.
    }
  }

  async function kill(): Promise<void> {
    expected = true;
    waiting = [];
    waitingBytes = 0;
    killAll();
    let patience: { cancel(): void } | undefined;
    await Promise.race([
      gone,
      new Promise<void>((resolve) => {
        patience = clock.after(KILL_WAIT_MS, resolve);
      }),
    ]);
    patience?.cancel();
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
      // All that waits is given to the stream at once: it is at most two seconds of sound.
      flushAll();
      child.stdin.end();
      let deadline: { cancel(): void } | undefined;
      const late = new Promise<string>((resolve) => {
        deadline = clock.after(deadlineMs, () => resolve(`did not answer within ${deadlineMs} ms`));
      });
      const reason = await Promise.race([gone, late]);
      deadline?.cancel();
      if (reason !== '') {
        killAll();
        throw new Error(reason);
      }
      // Each line is an utterance; `word(2)` is the second way to say `word`.
      return answer
        .replace(/\(\d+\)/g, '')
        .trim()
        .split(/\s+/)
        .join(' ');
    },
    kill,
  };

  function flushAll(): void {
    for (const bytes of waiting) child.stdin.write(bytes);
    waiting = [];
    waitingBytes = 0;
  }
}
