import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Clock } from '../../shared/clock.ts';
import type { AudioFormat } from '../audio/format.ts';
import { createDeadline } from '../provider/deadline.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createWavStream } from './wav-stream.ts';

/** What espeak-ng's own voices speak at. */
export const ESPEAK_OUTPUT: AudioFormat = { encoding: 'pcm16', sample_rate: 22050 };
/** A clause takes 10 to 40 ms; one that takes this long is lost. */
export const SEGMENT_DEADLINE_MS = 5_000;

export interface EspeakRun {
  /** Ends the process; neither callback follows. */
  kill(): void;
  /** Resolves when the process is gone, however it went. */
  exited: Promise<void>;
}

export interface EspeakRunOptions {
  provider: string;
  bin: string;
  /** As `-v` and `-s` take them. */
  voice: string;
  wordsPerMinute: number;
  text: string;
  clock: Clock;
  /** Whole samples in ESPEAK_OUTPUT, as they come. */
  onAudio(bytes: Uint8Array): void;
  /** Once, after the last sound: null when all went well. Never within `runEspeak` itself. */
  onEnd(error: ProviderError | null): void;
}

/**
 * Speaks one text with one process (manual page espeak-ng(1)). No shell, and the text goes in on standard input:
 * whatever it begins with, it is only text.
 */
export function runEspeak(options: EspeakRunOptions): EspeakRun {
  const { provider, bin, clock } = options;
  const wav = createWavStream(ESPEAK_OUTPUT);
  let over = false;
  let complaint = '';
  let child: ChildProcessWithoutNullStreams | null = null;
  let leave: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });

  const deadline = createDeadline(clock, SEGMENT_DEADLINE_MS, () =>
    finish(new ProviderError(provider, 'timeout', `espeak-ng did not finish within ${SEGMENT_DEADLINE_MS} ms`)),
  );

  function kill(): void {
    over = true;
    deadline.stop();
    child?.kill('SIGKILL');
  }

  function finish(error: ProviderError | null): void {
    if (over) return;
    kill();
    options.onEnd(error);
  }

  function notStarted(error: NodeJS.ErrnoException): ProviderError {
    const words =
      error.code === 'ENOENT'
        ? `the program "${bin}" was not found: install espeak-ng (on Debian: apt-get install espeak-ng) or set ESPEAK_BIN`
        : `the program "${bin}" could not be started: ${error.code ?? error.message}`;
    return new ProviderError(provider, 'unavailable', words);
  }

  function ended(code: number | null, signal: string | null): ProviderError | null {
    if (code === 0) return null;
    if (/voice does not exist/i.test(complaint)) {
      return new ProviderError(provider, 'bad_request', `espeak-ng has no voice ${options.voice}`);
    }
    return new ProviderError(provider, 'unavailable', `espeak-ng ended with ${signal ?? `code ${code}`}`);
  }

  // -b 1: the text is UTF-8. -z: no rest after the last sentence.
  const args = ['--stdin', '--stdout', '-z', '-b', '1', '-v', options.voice, '-s', String(options.wordsPerMinute)];
  try {
    child = spawn(bin, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    leave();
    queueMicrotask(() => finish(notStarted(error as NodeJS.ErrnoException)));
    return { kill, exited: gone };
  }
  deadline.start();
  child.on('error', (error) => {
    if (child?.pid === undefined) leave();
    finish(notStarted(error));
  });
  child.on('exit', leave);
  child.on('close', (code, signal) => finish(ended(code, signal)));
  child.stdout.on('data', (bytes: Buffer) => {
    if (over) return;
    let sound: Uint8Array;
    try {
      sound = wav.push(bytes);
    } catch (error) {
      finish(new ProviderError(provider, 'unavailable', `espeak-ng: ${(error as Error).message}`));
      return;
    }
    if (sound.length > 0) options.onAudio(sound);
  });
  child.stderr.on('data', (bytes: Buffer) => {
    if (complaint.length < 500) complaint += bytes.toString('utf8');
  });
  // A process that was killed, or never started, does not read; what it was is told by its end.
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {});
  child.stdin.end(options.text);
  return { kill, exited: gone };
}
