import { spawn } from 'node:child_process';

/**
 * Opens keys that a key management service has sealed. It is asked once for each key when a process starts, which keeps the key in
 * memory: no call, sign-in or delivery waits for the service, and an outage of it delays starts only.
 */
export interface KeyManagement {
  /** @throws Error when it does not open the key. */
  open(sealed: string): Promise<string>;
}

const DEADLINE_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Asks a command, run by `sh`: it reads the sealed key from its standard input and writes the key to its standard output.
 *
 * @param deadlineMs after which it is killed, with all that it has started
 */
export function createCommandKeyManagement(command: string, deadlineMs = DEADLINE_MS): KeyManagement {
  return {
    open: (sealed) =>
      new Promise((resolve, reject) => {
        // A process group of its own, so that all of it can be killed.
        const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
        const output: Buffer[] = [];
        let bytes = 0;
        const finish = (problem: string | null) => {
          clearTimeout(deadline);
          if (problem === null) return resolve(Buffer.concat(output).toString('utf8').trim());
          reject(new Error(`SECRETS_KMS_COMMAND ${problem}`));
          kill(child.pid);
        };
        const deadline = setTimeout(() => finish(`took longer than ${deadlineMs / 1_000} s`), deadlineMs);
        child.on('error', () => finish('could not be run'));
        child.stdout.on('data', (part: Buffer) => {
          bytes += part.length;
          output.push(part);
          if (bytes > MAX_OUTPUT_BYTES) finish('wrote more than a key');
        });
        child.on('close', (code, signal) => {
          if (code !== 0) finish(`ended with ${code === null ? signal : `exit code ${code}`}`);
          else finish(bytes === 0 ? 'wrote no key' : null);
        });
        // It may end without reading.
        child.stdin.on('error', () => {});
        child.stdin.end(sealed);
      }),
  };
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
