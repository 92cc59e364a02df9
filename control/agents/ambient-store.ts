import { ambientUploadName } from '../../shared/ambient-sounds.ts';
import type { AnySql, Transaction } from '../db/connect.ts';

/** The SQL of uploaded background sounds. Agents that use one are found by scanning the workspace's agents, 200 at most. */

export interface AmbientSoundRow {
  id: string;
  name: string;
  duration_seconds: number;
  size_bytes: number;
  created_by: string;
  created_at: Date;
}

/** Newest first: ids sort by creation. */
export async function listAmbientSounds(sql: AnySql, workspaceId: string): Promise<AmbientSoundRow[]> {
  return sql<AmbientSoundRow[]>`
    select id, name, duration_seconds, size_bytes, created_by, created_at
    from ambient_sounds where workspace_id = ${workspaceId} order by id desc
  `;
}

/** The number of agents that use each sound, built-in ones included. */
export async function countUses(sql: AnySql, workspaceId: string): Promise<Map<string, number>> {
  const rows = await sql<{ sound: string; agents: number }[]>`
    select call ->> 'ambient_sound' as sound, count(*)::integer as agents
    from agents where workspace_id = ${workspaceId} group by 1
  `;
  return new Map(rows.map((row) => [row.sound, row.agents]));
}

/** Locks the workspace, so that two uploads at once cannot both be the last allowed one. */
export async function countAmbientSoundsLocked(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from ambient_sounds where workspace_id = ${workspaceId}
  `;
  return row!.count;
}

export async function insertAmbientSound(
  tx: Transaction,
  workspaceId: string,
  row: AmbientSoundRow,
  wav: Uint8Array,
): Promise<void> {
  const { id, name, duration_seconds, size_bytes, created_by, created_at } = row;
  await tx`
    insert into ambient_sounds (
      workspace_id, id, name, duration_seconds, size_bytes, wav, created_by, created_at
    ) values (
      ${workspaceId}, ${id}, ${name}, ${duration_seconds}, ${size_bytes}, ${wav}, ${created_by}, ${created_at}
    )
  `;
}

/** Returns bytes of the stored file from `offset` on; null when there is no such sound. */
export async function findAmbientSoundChunk(
  sql: AnySql,
  workspaceId: string,
  id: string,
  offset: number,
  length: number,
): Promise<{ part: Buffer; size_bytes: number } | null> {
  const [row] = await sql<{ part: Buffer; size_bytes: number }[]>`
    select substring(wav from ${offset + 1}::integer for ${length}::integer) as part, size_bytes
    from ambient_sounds where workspace_id = ${workspaceId} and id = ${id}
  `;
  return row ?? null;
}

/** Keeps the sound from being deleted until the transaction ends; false when there is none. */
export async function lockAmbientSoundShared(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const rows = await tx`
    select id from ambient_sounds where workspace_id = ${workspaceId} and id = ${id} for key share
  `;
  return rows.length > 0;
}

/** Keeps agents from starting to use the sound; false when there is none. */
export async function lockAmbientSound(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const rows = await tx`select id from ambient_sounds where workspace_id = ${workspaceId} and id = ${id} for update`;
  return rows.length > 0;
}

export async function countAgentsUsingSound(tx: Transaction, workspaceId: string, id: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from agents
    where workspace_id = ${workspaceId} and call ->> 'ambient_sound' = ${ambientUploadName(id)}
  `;
  return row!.count;
}

export async function deleteAmbientSound(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx`delete from ambient_sounds where workspace_id = ${workspaceId} and id = ${id}`;
}
