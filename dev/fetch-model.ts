import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorText } from '../shared/log.ts';
import type { ModelFile } from '../shared/model-files.ts';

export interface FetchModelOptions {
  folder: string;
  /** Bytes so far, those of an earlier attempt included. */
  onProgress?(bytes: number): void;
  /** Nothing came for so long. */
  idleMs?: number;
}

const IDLE_MS = 30_000;

/**
 * Fetches a model into the folder, or finds it there. What an attempt that broke off has left is continued; a file is at its place
 * only when it has its size and checksum.
 *
 * @returns the path, and whether anything was fetched.
 * @throws Error that says what to do: when the address cannot be reached, or sends something else.
 */
export async function fetchModel(
  model: ModelFile,
  { folder, onProgress = () => {}, idleMs = IDLE_MS }: FetchModelOptions,
): Promise<{ path: string; fetched: boolean }> {
  const path = join(folder, model.file);
  if (existsSync(path)) {
    if ((await sha256Of(path)) === model.sha256) return { path, fetched: false };
    rmSync(path);
  }
  mkdirSync(folder, { recursive: true });
  const part = `${path}.part`;
  const have = existsSync(part) ? statSync(part).size : 0;
  if (have < model.bytes) await append(model, part, have, idleMs, onProgress);
  if ((await sha256Of(part)) !== model.sha256) {
    rmSync(part);
    throw new Error(`${model.url} sent another file than the one that is named here: nothing was kept`);
  }
  renameSync(part, path);
  return { path, fetched: true };
}

async function append(
  { url, bytes }: ModelFile,
  part: string,
  have: number,
  idleMs: number,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const idle = new AbortController();
  const waitForMore = () => setTimeout(() => idle.abort(), idleMs);
  let timer = waitForMore();
  let target: number | null = null;
  try {
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await fetch(url, { headers, signal: idle.signal });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    // A server that does not know ranges begins anew.
    const continues = response.status === 206;
    let total = continues ? have : 0;
    target = openSync(part, continues ? 'a' : 'w');
    for await (const chunk of response.body) {
      clearTimeout(timer);
      timer = waitForMore();
      total += chunk.length;
      if (total > bytes) throw new Error('more came than the file has');
      // At once, so that nothing that came is lost when the next part does not.
      writeSync(target, chunk);
      onProgress(total);
    }
  } catch (error) {
    const why = idle.signal.aborted ? `nothing came for ${idleMs / 1_000} s` : causeOf(error);
    throw new Error(`${url} could not be read (${why}): try again, what came is kept, or put the file there yourself`);
  } finally {
    clearTimeout(timer);
    if (target !== null) closeSync(target);
  }
}

/** What lies behind fetch's own "fetch failed". */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return errorText(cause ?? error);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
