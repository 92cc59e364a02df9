import type { Child } from './child.ts';

/** Data folder, port and log of a third-party server. */
export interface ManagedServerOptions {
  /** Created on the first start. */
  dataDir: string;
  /** Default: a free port. */
  port?: number;
  /** File for the server's output. Default: `<dataDir>.log`. */
  log?: string;
}

export interface ManagedServer {
  url: string;
  port: number;
  pid: number;
  /** Resolves when it has exited. */
  stop(): Promise<void>;
  /** Stops and starts it on the same port with the same data. */
  restart(): Promise<void>;
  /** Resolves with a description of how it ended. */
  exited(): Promise<string>;
  running(): boolean;
  tail(lines?: number): string;
}

/** Starts the server. `start` resolves when it accepts connections, and throws when it does not. */
export async function manageServer(
  { url, port }: { url: string; port: number },
  start: () => Promise<Child>,
  stopWith: { signal: NodeJS.Signals; deadlineMs: number },
): Promise<ManagedServer> {
  let child = await start();
  const stop = () => child.stop(stopWith.signal, stopWith.deadlineMs);
  return {
    url,
    port,
    get pid() {
      return child.pid;
    },
    stop,
    async restart() {
      await stop();
      child = await start();
    },
    exited: () => child.exited,
    running: () => child.running(),
    tail: (lines) => child.tail(lines),
  };
}
