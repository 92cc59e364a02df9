import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SpeechInterval } from '../../fixtures/simulators/deepgram.ts';

export type ToProviders =
  /** Spoken soon; its speech in seconds of the call's audio. */
  { type: 'question'; name: string; text: string; speech: SpeechInterval } | { type: 'report'; name: string };

/** What the providers received of a call. */
export interface Received {
  /** Connections at the transcriber, and the audio on the first. */
  connections: number;
  seconds: number;
  /** At the language model. */
  requests: number;
  /** Of all calls so far. */
  violations: string[];
}

export type FromProviders =
  | { type: 'ready'; settings: Record<string, string> }
  | ({ type: 'received'; name: string } & Received);

/** The simulated providers as a process. */
export interface ProviderProcess {
  pid: number;
  /** URLs and keys, by the names of the engine's settings. */
  settings: Record<string, string>;
  ask(name: string, text: string, speech: SpeechInterval): void;
  received(name: string): Promise<Received>;
  stop(): Promise<void>;
}

export async function startProviderProcess(): Promise<ProviderProcess> {
  const child = fork(join(import.meta.dirname, 'provider-process.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [ready] = (await firstMessage(child, 'the providers')) as [FromProviders & { type: 'ready' }];
  const waiting = new Map<string, (received: Received) => void>();
  child.on('message', (message: FromProviders) => {
    if (message.type === 'received') waiting.get(message.name)?.(message);
  });
  const send = (message: ToProviders) => void child.send(message);
  return {
    pid: child.pid!,
    settings: ready.settings,
    ask: (name, text, speech) => send({ type: 'question', name, text, speech }),
    received(name) {
      return new Promise((resolve) => {
        waiting.set(name, resolve);
        send({ type: 'report', name });
      });
    },
    stop: () => stopChild(child),
  };
}

/** Rejects when the process ends before it. */
export function firstMessage(child: ChildProcess, name: string): Promise<unknown[]> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} did not start: exit code ${String(code)}`);
  });
  return Promise.race([once(child, 'message'), ended]);
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
