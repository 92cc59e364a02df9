import { readFile } from 'node:fs/promises';
import {
  ambientUploadId,
  ambientUploadName,
  BUILT_IN_AMBIENT_SOUNDS,
  type BuiltInAmbientSound,
  builtInAmbientSoundFile,
  isBuiltInAmbientSound,
} from '../../shared/ambient-sounds.ts';
import type { FetchAmbientSoundReply, FetchAmbientSoundRequest } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { ID_PATTERN, newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, validationError } from '../http/errors.ts';
import type { AmbientDecoder } from './ambient-decoder.ts';
import { MAX_SECONDS, MIN_SECONDS, readWavHeader } from './ambient-file.ts';
import {
  type AmbientSoundRow,
  countAgentsUsingSound,
  countAmbientSoundsLocked,
  countUses,
  deleteAmbientSound,
  findAmbientSoundChunk,
  insertAmbientSound,
  listAmbientSounds,
  lockAmbientSound,
} from './ambient-store.ts';

/** The rules of background sounds: four built-in ones, and those that a workspace uploads. */

export const MAX_AMBIENT_SOUND_BYTES = 5 * 1024 * 1024;
const MAX_AMBIENT_SOUNDS = 20;
const TITLES: Record<BuiltInAmbientSound, string> = {
  office: 'Office',
  call_centre: 'Call centre',
  cafe: 'Cafe',
  street: 'Street',
};
/** Bytes of a sound in one bus message, which holds 1 MB at most. */
const CHUNK_BYTES = 256 * 1024;
const WHOLE_FILE_BYTES = 2 ** 30;

export interface AmbientSound extends Omit<AmbientSoundRow, 'created_at'> {
  kind: 'builtin' | 'upload';
  used_by_agents: number;
  created_at: Date | null;
}

export interface AmbientSoundsDeps {
  sql: Sql;
  clock: Clock;
  decode: AmbientDecoder;
}

export type AmbientSounds = ReturnType<typeof createAmbientSounds>;

export function createAmbientSounds({ sql, clock, decode }: AmbientSoundsDeps) {
  const uploaded = (row: AmbientSoundRow, uses: Map<string, number>): AmbientSound => {
    const id = ambientUploadName(row.id);
    return { ...row, id, kind: 'upload', used_by_agents: uses.get(id) ?? 0 };
  };

  return {
    /** Returns the built-in sounds, then the workspace's uploads, newest first. */
    async list(workspaceId: string): Promise<AmbientSound[]> {
      const uses = await countUses(sql, workspaceId);
      const rows = await listAmbientSounds(sql, workspaceId);
      const builtIn = await Promise.all(
        BUILT_IN_AMBIENT_SOUNDS.map((name) => builtInRecord(name, uses.get(name) ?? 0)),
      );
      return [...builtIn, ...rows.map((row) => uploaded(row, uses))];
    },

    async add(
      workspaceId: string,
      actor: Actor,
      { file, name }: { file: Buffer; name: string },
    ): Promise<AmbientSound> {
      const decoded = await decode(file);
      if (decoded.type === 'unknown') throw new HttpError(415, 'only WAV or MP3 files');
      if (decoded.type === 'length') {
        const msg = `the sound should be ${MIN_SECONDS} to ${MAX_SECONDS} seconds long`;
        throw validationError(msg, ['file']);
      }
      const wallMs = clock.wall();
      const row: AmbientSoundRow = {
        id: newId(wallMs),
        name,
        duration_seconds: Math.round(decoded.seconds * 1_000) / 1_000,
        size_bytes: decoded.wav.length,
        created_by: actor.name,
        created_at: new Date(wallMs),
      };
      await sql.begin(async (tx) => {
        if ((await countAmbientSoundsLocked(tx, workspaceId)) >= MAX_AMBIENT_SOUNDS) {
          throw conflict(`sound limit reached (${MAX_AMBIENT_SOUNDS})`);
        }
        await insertAmbientSound(tx, workspaceId, row, decoded.wav);
        const target = { kind: 'sound', id: row.id, name };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'sound.uploaded', target, at_ms: wallMs });
      });
      return uploaded(row, new Map());
    },

    /** Returns a WAV file and its file name. */
    async audio(workspaceId: string, sound: string): Promise<{ body: Buffer; file_name: string }> {
      if (isBuiltInAmbientSound(sound))
        return { body: await readFile(builtInAmbientSoundFile(sound)), file_name: `${sound}.wav` };
      const id = idOf(sound);
      const found = id === null ? null : await findAmbientSoundChunk(sql, workspaceId, id, 0, WHOLE_FILE_BYTES);
      if (!found) throw notFound('sound');
      return { body: found.part, file_name: `ambient-${id}.wav` };
    },

    async remove(workspaceId: string, sound: string, actor: Actor): Promise<void> {
      if (isBuiltInAmbientSound(sound)) throw new HttpError(400, 'built-in sounds cannot be deleted');
      const id = idOf(sound);
      await sql.begin(async (tx) => {
        if (id === null || !(await lockAmbientSound(tx, workspaceId, id))) throw notFound('sound');
        const agents = await countAgentsUsingSound(tx, workspaceId, id);
        if (agents > 0) throw conflict(`used by ${agents} agents`);
        await deleteAmbientSound(tx, workspaceId, id);
        const target = { kind: 'sound', id, name: '' };
        const at_ms = clock.wall();
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'sound.deleted', target, at_ms });
      });
    },

    /** Returns the bytes of an upload that an engine asks for. */
    async part({ workspace_id, sound_id, offset }: FetchAmbientSoundRequest): Promise<FetchAmbientSoundReply> {
      const known = ID_PATTERN.test(workspace_id) && ID_PATTERN.test(sound_id) && offset < WHOLE_FILE_BYTES;
      const found = known ? await findAmbientSoundChunk(sql, workspace_id, sound_id, offset, CHUNK_BYTES) : null;
      return found
        ? { found: true, total_bytes: found.size_bytes, chunk: found.part }
        : { found: false, total_bytes: 0, chunk: new Uint8Array() };
    },
  };
}

/** The id of an upload, named by it or as agents name it; null for any other name. */
const idOf = (sound: string): string | null => (ID_PATTERN.test(sound) ? sound : ambientUploadId(sound));

async function builtInRecord(name: BuiltInAmbientSound, used_by_agents: number): Promise<AmbientSound> {
  const bytes = await readFile(builtInAmbientSoundFile(name));
  const duration_seconds = readWavHeader(bytes)?.seconds ?? 0;
  const size_bytes = bytes.length;
  const made = { created_by: '', created_at: null };
  return { id: name, name: TITLES[name], kind: 'builtin', duration_seconds, size_bytes, used_by_agents, ...made };
}
