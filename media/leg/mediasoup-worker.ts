import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Finds mediasoup's worker program on this machine, searching the same paths in the same order as `dev/browser-calls.sh`, which builds it.
 */
export function findMediasoupWorker(
  version: string,
  packageMain: string,
  env: Record<string, string | undefined> = process.env,
): string | null {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  const machine = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch;
  const candidates = [
    env.MEDIASOUP_WORKER_BIN,
    // node/lib/index.js is the package's main file.
    join(dirname(packageMain), '../../worker/out/Release/mediasoup-worker'),
    join(cache, 'antiphon', `mediasoup-worker-${version}-${machine}`),
  ];
  return candidates.find((file) => file !== undefined && file !== '' && isExecutable(file)) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
