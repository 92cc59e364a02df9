import type { Child } from './child.ts';

/** Where a server that is no program of ours keeps what it has. */
export interface ManagedServerOptions {
  /** Made and filled on the first start, used as it is afterwards. */
  dataDir: string;
  /** A free one when not given. */
  port?: number;
  /** The file that receives the server's output; `<dataDir>.log` when not given. */
  log?: string;
}

export interface ManagedServer {
  url: string;
  port: number;
  pid: number;
  /** Resolves when it is gone. */
  stop(): Promise<void>;
  /** Stops and starts on the same port with the same data, as when the machine was restarted. */
  restart(): Promise<void>;
  /** How the server ended, in words. */
  exited(): Promise<string>;
  running(): boolean;
  tail(): string;
}

/** Starts it. `start` resolves once it can be talked to, and throws when it does not come to that. */
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
    tail: () => child.tail(),
  };
}
