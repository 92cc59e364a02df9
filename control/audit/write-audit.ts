import { newId } from '../../shared/ids.ts';
import type { AnySql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import type { Changes } from './changes.ts';

export interface AuditEntry {
  workspace_id: string;
  /** The actor of the handler's context: it carries where the request came from. */
  actor: Actor;
  /** `agent.updated`, `member.removed`, `recording.downloaded`. */
  action: string;
  target: { kind: string; id: string; name: string };
  /** Field → [old, new], from `changesBetween`, which leaves secrets out. */
  changes?: Changes;
  /** Further facts, flat and short; never secrets, prompts, speech or whole phone numbers. */
  data?: Record<string, string | number | boolean | null | string[]>;
  /** Milliseconds since 1970. */
  at_ms: number;
}

/** Who did what nobody asked for at that moment, like a renewal. */
export const SERVICE: Actor = { kind: 'service', id: 'service', name: 'service' };

/** Writes an audit event, in the transaction of the change. */
export async function writeAudit(tx: AnySql, entry: AuditEntry): Promise<void> {
  await auditInsertion(tx, entry);
}

/** Inserts an audit event: a statement, or a part of one, which `onlyIf` (`where …`) may make do nothing. */
export const auditInsertion = (sql: AnySql, entry: AuditEntry, onlyIf = sql``) => {
  const { workspace_id, actor, action, target, changes = {}, data = {}, at_ms } = entry;
  return sql`
    insert into audit_events (
      workspace_id, id, at, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name,
      changes, data, address, request_id
    )
    select ${workspace_id}::text, ${newId(at_ms)}::text, ${new Date(at_ms)}::timestamptz, ${action}::text, ${actor.kind}::text,
      ${actor.id}::text, ${actor.name}::text, ${target.kind}::text, ${target.id}::text, ${target.name}::text,
      ${sql.json(changes as never)}::jsonb, ${sql.json(data)}::jsonb, ${actor.origin?.address ?? ''}::text,
      ${actor.origin?.request_id ?? ''}::text
    ${onlyIf}`;
};
