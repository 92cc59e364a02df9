import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { constants, createGunzip } from 'node:zlib';

/** More than any engine writes: what is longer is none of ours. */
const MAX_BYTES = 192 * 2 ** 20;
const MAX_LINE_BYTES = 4 * 2 ** 20;
const LINE_END = 0x0a;

/** A tape's file line by line. */
export interface CaptureFile {
  /** Rejects when the file cannot be read, is no gzip, or is longer than a tape can be. What follows the last line end is left out. */
  lines: AsyncIterable<string>;
  /** After the last line: the file is complete. The tape of an engine that died is not. */
  isComplete(): Promise<boolean>;
}

export function readCaptureFile(path: string): CaptureFile {
  let bytes = 0;
  let endsInLine = false;
  async function* lines(): AsyncGenerator<string> {
    const file = createReadStream(path);
    // A file that ends in the middle gives what is there.
    const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    file.on('error', (error) => gunzip.destroy(error));
    try {
      let begun: Buffer[] = [];
      let begunBytes = 0;
      for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES / 2 ** 20} MiB`);
        let from = 0;
        for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
          yield Buffer.concat([...begun, chunk.subarray(from, at)]).toString();
          begun = [];
          begunBytes = 0;
          from = at + 1;
        }
        begun.push(chunk.subarray(from));
        begunBytes += chunk.length - from;
        if (begunBytes > MAX_LINE_BYTES) throw new Error(`a line of more than ${MAX_LINE_BYTES / 2 ** 20} MiB`);
      }
      endsInLine = begunBytes > 0;
    } finally {
      file.destroy();
      gunzip.destroy();
    }
  }
  return {
    lines: lines(),
    isComplete: async () => !endsInLine && (await unpackedBytes(path)) === bytes % 2 ** 32,
  };
}

/** As the last four bytes of a gzip file say (RFC 1952, section 2.3.1). */
async function unpackedBytes(path: string): Promise<number> {
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
