import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Clock } from '../../shared/clock.ts';
import type { AudioFormat } from '../audio/format.ts';
import { onClock } from '../provider/connection-guard.ts';
import { createDeadline } from '../provider/deadline.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createWavStream } from './wav-stream.ts';

/** Output of espeak-ng's own voices. */
export const ESPEAK_OUTPUT: AudioFormat = { encoding: 'pcm16', sample_rate: 22050 };
/** A clause takes 10 to 40 ms. */
export const SEGMENT_DEADLINE_MS = 5_000;

export interface EspeakRun {
  /** Kills the process; no callback follows. */
  kill(): void;
  /** Resolves when the process has exited, however it ended. */
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
  /** Called once, after the last audio; null: success. Never called within `runEspeak` itself. */
  onEnd(error: ProviderError | null): void;
}

/**
 * Speaks one text in one process (manual page espeak-ng(1)). There is no shell, and the text goes to standard input, so that
 * nothing in it is read as an option.
 */
export function runEspeak(options: EspeakRunOptions): EspeakRun {
  const { provider, bin, clock } = options;
  const wav = createWavStream(ESPEAK_OUTPUT);
  let over = false;
  let stderr = '';
  let child: ChildProcessWithoutNullStreams | null = null;
  const { promise: exited, resolve: onExit } = Promise.withResolvers<void>();

  const deadline = createDeadline(clock, SEGMENT_DEADLINE_MS, () =>
    finish(new ProviderError(provider, 'timeout', `espeak-ng did not finish within ${SEGMENT_DEADLINE_MS} ms`)),
  );

  function kill(): void {
    over = true;
    deadline.stop();
    child?.kill('SIGKILL');
  }

  const finish = onClock(clock, (error: ProviderError | null) => {
    if (over) return;
    kill();
    options.onEnd(error);
  });
  const onAudio = onClock(clock, options.onAudio);

  function spawnError(error: NodeJS.ErrnoException): ProviderError {
    const message =
      error.code === 'ENOENT'
        ? `the program "${bin}" was not found: install espeak-ng (on Debian: apt-get install espeak-ng) or set ESPEAK_BIN`
        : `the program "${bin}" could not be started: ${error.code ?? error.message}`;
    return new ProviderError(provider, 'unavailable', message);
  }

  function exitError(code: number | null, signal: string | null): ProviderError | null {
    if (code === 0) return null;
    if (/voice does not exist/i.test(stderr)) {
      return new ProviderError(provider, 'bad_request', `espeak-ng has no voice ${options.voice}`);
    }
    return new ProviderError(provider, 'unavailable', `espeak-ng ended with ${signal ?? `code ${code}`}`);
  }

  // -b 1: the text is UTF-8. -z: no pause after the last sentence.
  const args = ['--stdin', '--stdout', '-z', '-b', '1', '-v', options.voice, '-s', String(options.wordsPerMinute)];
  try {
    child = spawn(bin, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    onExit();
    queueMicrotask(() => finish(spawnError(error as NodeJS.ErrnoException)));
    return { kill, exited };
  }
  deadline.start();
  child.on('error', (error) => {
    if (child?.pid === undefined) onExit();
    finish(spawnError(error));
  });
  child.on('exit', () => onExit());
  child.on('close', (code, signal) => finish(exitError(code, signal)));
  child.stdout.on('data', (bytes: Buffer) => {
    if (over) return;
    let audio: Uint8Array;
    try {
      audio = wav.push(bytes);
    } catch (error) {
      finish(new ProviderError(provider, 'unavailable', `espeak-ng: ${(error as Error).message}`));
      return;
    }
    if (audio.length > 0) onAudio(audio);
  });
  child.stderr.on('data', (bytes: Buffer) => {
    if (stderr.length < 500) stderr += bytes.toString('utf8');
  });
  // Writing to a process that was killed or never started fails; its exit is reported instead.
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {});
  child.stdin.end(options.text);
  return { kill, exited };
}
