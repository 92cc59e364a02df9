import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { constants, createGunzip } from 'node:zlib';

/** More than any engine writes. */
const MAX_BYTES = 192 * 2 ** 20;
const MAX_LINE_BYTES = 4 * 2 ** 20;
const LINE_FEED = 0x0a;

/** Reads the file of a capture line by line. */
export interface CaptureFile {
  /** Rejects when the file cannot be read, is not gzip, or is too long. A last line without its line feed is left out. */
  lines: AsyncIterable<string>;
  /** To be called after the last line. False for the capture of an engine that crashed. */
  isComplete(): Promise<boolean>;
}

export function readCaptureFile(path: string): CaptureFile {
  let bytes = 0;
  let endsInLine = false;
  async function* lines(): AsyncGenerator<string> {
    const file = createReadStream(path);
    // With this flush a truncated file gives what it has.
    const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    file.on('error', (error) => gunzip.destroy(error));
    try {
      let partial: Buffer[] = [];
      let partialBytes = 0;
      for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES / 2 ** 20} MiB`);
        let from = 0;
        for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
          yield Buffer.concat([...partial, chunk.subarray(from, at)]).toString();
          partial = [];
          partialBytes = 0;
          from = at + 1;
        }
        partial.push(chunk.subarray(from));
        partialBytes += chunk.length - from;
        if (partialBytes > MAX_LINE_BYTES) throw new Error(`a line of more than ${MAX_LINE_BYTES / 2 ** 20} MiB`);
      }
      endsInLine = partialBytes > 0;
    } finally {
      file.destroy();
      gunzip.destroy();
    }
  }
  return {
    lines: lines(),
    isComplete: async () => !endsInLine && (await uncompressedSize(path)) === bytes % 2 ** 32,
  };
}

/** The last four bytes of a gzip file (RFC 1952, section 2.3.1). */
async function uncompressedSize(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size < 4) return -1;
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, size - 4);
    return buffer.readUInt32LE();
  } finally {
    await file.close();
  }
}
