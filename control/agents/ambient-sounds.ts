import { readFile } from 'node:fs/promises';
import {
  BUILT_IN_SOUNDS,
  type BuiltInSound,
  builtInSoundFile,
  isBuiltInSound,
  nameOfUpload,
  uploadOf,
} from '../../shared/ambient-sounds.ts';
import type { FetchSoundReply, FetchSoundRequest } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { ID_PATTERN, newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, ruleBroken } from '../http/errors.ts';
import { MAX_SECONDS, MIN_SECONDS, wavFacts } from './ambient-file.ts';
import type { SoundReader } from './ambient-reading.ts';
import {
  countAgentsWith,
  countSoundsLocked,
  countUses,
  deleteSound,
  findSoundPart,
  insertSound,
  listSounds,
  lockSound,
  type SoundRow,
} from './ambient-store.ts';

/** The rules of background sounds: four that come with the service, and those a workspace uploads. */

export const MAX_SOUND_BYTES = 5 * 1024 * 1024;
const MAX_SOUNDS = 20;
const TITLES: Record<BuiltInSound, string> = {
  office: 'Office',
  call_centre: 'Call centre',
  cafe: 'Cafe',
  street: 'Street',
};
/** A part of a sound on the bus, whose messages hold 1 MB at most. */
const PART_BYTES = 256 * 1024;
const WHOLE = 2 ** 30;

export interface AmbientSound extends Omit<SoundRow, 'created_at'> {
  kind: 'builtin' | 'upload';
  used_by_agents: number;
  created_at: Date | null;
}

export interface SoundsDeps {
  sql: Sql;
  clock: Clock;
  readSound: SoundReader;
}

export type Sounds = ReturnType<typeof createSounds>;

export function createSounds({ sql, clock, readSound }: SoundsDeps) {
  const uploaded = (row: SoundRow, uses: Map<string, number>): AmbientSound => {
    const id = nameOfUpload(row.id);
    return { ...row, id, kind: 'upload', used_by_agents: uses.get(id) ?? 0 };
  };

  return {
    /** The built-in ones, then the workspace's own, newest first. */
    async list(workspaceId: string): Promise<AmbientSound[]> {
      const uses = await countUses(sql, workspaceId);
      const rows = await listSounds(sql, workspaceId);
      const builtIn = await Promise.all(BUILT_IN_SOUNDS.map((name) => builtInRecord(name, uses.get(name) ?? 0)));
      return [...builtIn, ...rows.map((row) => uploaded(row, uses))];
    },

    async add(
      workspaceId: string,
      actor: Actor,
      { file, name }: { file: Buffer; name: string },
    ): Promise<AmbientSound> {
      const read = await readSound(file);
      if (read.type === 'unknown') throw new HttpError(415, 'only WAV or MP3 files');
      if (read.type === 'length') {
        const msg = `the sound should be ${MIN_SECONDS} to ${MAX_SECONDS} seconds long`;
        throw ruleBroken(msg, ['file']);
      }
      const wallMs = clock.wall();
      const row: SoundRow = {
        id: newId(wallMs),
        name,
        duration_seconds: Math.round(read.seconds * 1_000) / 1_000,
        size_bytes: read.wav.length,
        created_by: actor.name,
        created_at: new Date(wallMs),
      };
      await sql.begin(async (tx) => {
        if ((await countSoundsLocked(tx, workspaceId)) >= MAX_SOUNDS) {
          throw conflict(`sound limit reached (${MAX_SOUNDS})`);
        }
        await insertSound(tx, workspaceId, row, read.wav);
        const target = { kind: 'sound', id: row.id, name };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'sound.uploaded', target, at_ms: wallMs });
      });
      return uploaded(row, new Map());
    },

    /** A WAV file and what to call it. */
    async audio(workspaceId: string, sound: string): Promise<{ body: Buffer; file_name: string }> {
      if (isBuiltInSound(sound)) return { body: await readFile(builtInSoundFile(sound)), file_name: `${sound}.wav` };
      const id = idOf(sound);
      const found = id === null ? null : await findSoundPart(sql, workspaceId, id, 0, WHOLE);
      if (!found) throw notFound('sound');
      return { body: found.part, file_name: `ambient-${id}.wav` };
    },

    async remove(workspaceId: string, sound: string, actor: Actor): Promise<void> {
      if (isBuiltInSound(sound)) throw new HttpError(400, 'built-in sounds cannot be deleted');
      const id = idOf(sound);
      await sql.begin(async (tx) => {
        if (id === null || !(await lockSound(tx, workspaceId, id))) throw notFound('sound');
        const agents = await countAgentsWith(tx, workspaceId, id);
        if (agents > 0) throw conflict(`used by ${agents} agents`);
        await deleteSound(tx, workspaceId, id);
        const target = { kind: 'sound', id, name: '' };
        const at_ms = clock.wall();
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'sound.deleted', target, at_ms });
      });
    },

    /** An engine asks for the next bytes of an upload. */
    async part({ workspace_id, sound_id, offset }: FetchSoundRequest): Promise<FetchSoundReply> {
      const known = ID_PATTERN.test(workspace_id) && ID_PATTERN.test(sound_id) && offset < WHOLE;
      const found = known ? await findSoundPart(sql, workspace_id, sound_id, offset, PART_BYTES) : null;
      return found
        ? { found: true, total_bytes: found.size_bytes, part: found.part }
        : { found: false, total_bytes: 0, part: new Uint8Array() };
    },
  };
}

/** An upload is named as agents name it, or by its bare id. */
const idOf = (sound: string): string | null => (ID_PATTERN.test(sound) ? sound : uploadOf(sound));

async function builtInRecord(name: BuiltInSound, used_by_agents: number): Promise<AmbientSound> {
  const bytes = await readFile(builtInSoundFile(name));
  const duration_seconds = wavFacts(bytes)?.seconds ?? 0;
  const size_bytes = bytes.length;
  const made = { created_by: '', created_at: null };
  return { id: name, name: TITLES[name], kind: 'builtin', duration_seconds, size_bytes, used_by_agents, ...made };
}
