import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import type { Clock } from './clock.ts';
import { withTimeout } from './with-timeout.ts';

/** Worker threads: `startThread` is the base, `runInThread` does one task, `startRequestThread` loads once and serves requests. */

export interface Thread<Command> {
  post(command: Command): void;
  /** No callback follows. */
  terminate(): Promise<void>;
}

export interface ThreadListener<Message> {
  onMessage(message: Message): void;
  /** The thread ended or threw. Called once. */
  onExit(reason: string): void;
}

export function startThread<Command, Message>(
  script: URL,
  { keepsProcessAlive = true, ...options }: WorkerOptions & { keepsProcessAlive?: boolean },
  listener: ThreadListener<Message>,
): Thread<Command> {
  const worker = new Worker(script, options);
  if (!keepsProcessAlive) worker.unref();
  let over = false;
  function exited(reason: string): void {
    if (over) return;
    over = true;
    listener.onExit(reason);
  }
  worker.on('message', (message: Message) => {
    if (!over) listener.onMessage(message);
  });
  worker.on('error', (error) => exited(error instanceof Error ? error.message : String(error)));
  worker.on('exit', (code) => exited(`the thread exited with code ${code}`));
  return {
    post: (command) => worker.postMessage(command),
    async terminate() {
      over = true;
      await worker.terminate();
    },
  };
}

/** Posts one task to a new thread and resolves with its first message. Rejects when it ends without one or takes too long. */
export async function runInThread<Task, Result>(
  script: URL,
  task: Task,
  { timeoutMs, clock, ...options }: WorkerOptions & { timeoutMs: number; clock: Clock },
): Promise<Result> {
  let thread: Thread<Task> | undefined;
  const result = new Promise<Result>((resolve, reject) => {
    thread = startThread<Task, Result>(script, options, {
      onMessage: resolve,
      onExit: (reason) => reject(new Error(reason)),
    });
    thread.post(task);
  });
  try {
    return await withTimeout(result, timeoutMs, clock, () => {
      throw new Error(`not done within ${timeoutMs} ms`);
    });
  } finally {
    void thread?.terminate();
  }
}

type FromRequestThread<Reply> = 'ready' | { reply: Reply } | { error: string };
type ToRequestThread<Request> = 'close' | { request: Request };

/** A thread whose script calls `serveRequests`. */
export interface RequestThread<Request, Reply> {
  /** One request at a time. Rejects when the handler throws, the thread ends, or it was closed. */
  request(request: Request): Promise<Reply>;
  /** Waits for the request in flight and the release of the thread's resources, then ends the thread. */
  close(): Promise<void>;
}

const LOAD_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** Resolves when the thread is ready to serve; rejects when it cannot be, or not within 30 seconds. */
export async function startRequestThread<Request, Reply>(
  script: URL,
  { clock, ...options }: WorkerOptions & { clock: Clock },
): Promise<RequestThread<Request, Reply>> {
  let pending: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;
  let failure: Error | null = null;
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();

  const thread = startThread<ToRequestThread<Request>, FromRequestThread<Reply>>(script, options, {
    onMessage(message) {
      if (message === 'ready') {
        ready.resolve();
        return;
      }
      const request = pending;
      pending = null;
      if ('error' in message) request?.reject(new Error(message.error));
      else request?.resolve(message.reply);
    },
    onExit(reason) {
      failure ??= new Error(reason);
      ready.reject(failure);
      pending?.reject(failure);
      pending = null;
      exited.resolve();
    },
  });

  try {
    await withTimeout(ready.promise, LOAD_TIMEOUT_MS, clock, () => {
      throw new Error(`not loaded within ${LOAD_TIMEOUT_MS} ms`);
    });
  } catch (error) {
    await thread.terminate();
    throw error;
  }

  return {
    request(request) {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        pending = { resolve, reject };
        thread.post({ request });
      });
    },
    async close() {
      failure ??= new Error('closed');
      thread.post('close');
      await withTimeout(exited.promise, CLOSE_TIMEOUT_MS, clock, () => thread.terminate());
      pending?.reject(failure);
      pending = null;
    },
  };
}

/** Runs inside the thread: serves requests one after the other until it is closed, then calls `release`. */
export function serveRequests<Request, Reply>(
  handle: (request: Request) => Promise<Reply>,
  release: () => Promise<void>,
): void {
  const port = parentPort!;
  let last: Promise<void> = Promise.resolve();
  port.on('message', (message: ToRequestThread<Request>) => {
    if (message === 'close') {
      void last.then(release).finally(() => port.close());
      return;
    }
    last = handle(message.request).then(
      (reply) => port.postMessage({ reply } satisfies FromRequestThread<Reply>),
      (error: unknown) => port.postMessage({ error: String(error) } satisfies FromRequestThread<Reply>),
    );
  });
  port.postMessage('ready');
}
