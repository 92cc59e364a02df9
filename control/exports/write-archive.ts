import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import yazl from 'yazl';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { findRecording } from '../recordings/stored-recording.ts';
import { EXPORTED_TABLES } from './exported-tables.ts';
import { type RowSource, readCallIds, readRows } from './read-rows.ts';

export interface ArchiveContents extends RowSource {
  workspace_id: string;
  /** Where the recordings are; null: they are left out. */
  recordings: RecordingStore | null;
  at: Date;
}

/** How far an archive is. */
export interface ArchiveProgress {
  records: number;
  recording_count: number;
}

/** The directory of an archive stays in memory until its end. */
const MAX_RECORDINGS = 50_000;

/**
 * Streams a zip: a file of JSON lines for each table, each recording as WAV, and at the end `export.json` with what is in it. Rows and
 * recordings are read as the stream is, so that little is in memory. It is no snapshot: what changes meanwhile is in it as it was when its
 * page was read. A failing database or store destroys the stream.
 */
export function writeArchive(contents: ArchiveContents): { archive: Readable; progress: ArchiveProgress } {
  const { at } = contents;
  const progress: ArchiveProgress = { records: 0, recording_count: 0 };
  const zip = new yazl.ZipFile();
  const archive = zip.outputStream as Readable;
  let source: Readable | null = null;
  const fail = (error: unknown) => void archive.destroy(error as Error);
  zip.on('error', fail);
  archive.once('close', () => source?.destroy());
  produce().catch(fail);
  return { archive, progress };

  async function produce(): Promise<void> {
    const files: Record<string, number> = {};
    for (const exported of EXPORTED_TABLES) {
      const before = progress.records;
      await add(`records/${exported.table}.jsonl`, Readable.from(lines(exported), { objectMode: false }), 6);
      files[exported.table] = progress.records - before;
    }
    const left_out = contents.recordings ? await addRecordings(contents.recordings) : 0;
    const { workspace_id } = contents;
    const about = { workspace_id, made_at: at.toISOString(), records: files, recordings: progress.recording_count };
    const text = JSON.stringify({ ...about, recordings_left_out: left_out }, null, 2);
    zip.addBuffer(Buffer.from(`${text}\n`), 'export.json', { mtime: at });
    zip.end();
  }

  async function* lines(exported: (typeof EXPORTED_TABLES)[number]) {
    for await (const page of readRows(contents, exported, contents.workspace_id)) {
      progress.records += page.length;
      yield Buffer.from(`${page.join('\n')}\n`);
    }
  }

  /** @returns how many are not in the archive. */
  async function addRecordings(store: RecordingStore): Promise<number> {
    let leftOut = 0;
    for await (const ids of readCallIds(contents, contents.workspace_id, true)) {
      for (const id of ids) {
        if (progress.recording_count >= MAX_RECORDINGS) leftOut += 1;
        else {
          const recording = await findRecording(store, contents.workspace_id, id);
          if (!recording) continue;
          await add(`recordings/${id}.wav`, recording.read(0, recording.bytes - 1), 1);
          progress.recording_count += 1;
        }
      }
    }
    return leftOut;
  }

  /** Resolves when all of it was read, so that one source is open at a time. */
  async function add(name: string, stream: Readable, compressionLevel: number): Promise<void> {
    if (archive.destroyed) stream.destroy();
    source = stream;
    zip.addReadStream(stream, name, { mtime: at, compressionLevel });
    await finished(stream);
  }
}
