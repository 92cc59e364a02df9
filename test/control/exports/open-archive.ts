import { fromBuffer } from 'yauzl';

/** Reads all files of a zip, by name. */
export async function openArchive(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<import('yauzl').ZipFile>((done, failed) =>
    fromBuffer(bytes, { lazyEntries: false, autoClose: false }, (error, opened) =>
      error ? failed(error) : done(opened),
    ),
  );
  const entries: import('yauzl').Entry[] = [];
  zip.on('entry', (entry) => entries.push(entry));
  await new Promise((done, failed) => zip.once('end', done).once('error', failed));
  const files = new Map<string, Buffer>();
  for (const entry of entries) {
    const chunks: Buffer[] = [];
    const stream = await new Promise<NodeJS.ReadableStream>((done, failed) =>
      zip.openReadStream(entry, (error, opened) => (error ? failed(error) : done(opened))),
    );
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

/** The rows of a kind of record. */
export const rowsOf = (files: Map<string, Buffer>, table: string) =>
  String(files.get(`records/${table}.jsonl`))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
