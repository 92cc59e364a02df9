import type { AuditAction } from '../../shared/audit-actions.ts';
import { newId } from '../../shared/ids.ts';
import type { AnySql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import type { Changes } from './changes.ts';

export interface AuditEntry {
  workspace_id: string;
  /** The actor of the handler's context: it carries where the request came from. */
  actor: Actor;
  /** `agent.updated`, `member.removed`, `recording.downloaded`. */
  action: AuditAction;
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
  await auditInsertion(tx, [entry]);
}

/** Inserts audit events: a statement, or a part of one, which `onlyIf` (`where …`) may make do nothing. */
export const auditInsertion = (sql: AnySql, entries: readonly AuditEntry[], onlyIf = sql``) => sql`
    insert into audit_events (
      workspace_id, id, at, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name,
      changes, data, address, request_id
    )
    select workspace_id, id, at::timestamptz, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name,
      changes::jsonb, data::jsonb, address, request_id
    from unnest(
      ${entries.map(({ workspace_id }) => workspace_id)}::text[], ${entries.map(({ at_ms }) => newId(at_ms))}::text[],
      ${entries.map(({ at_ms }) => new Date(at_ms).toISOString())}::text[], ${entries.map(({ action }) => action)}::text[],
      ${entries.map(({ actor }) => actor.kind)}::text[], ${entries.map(({ actor }) => actor.id)}::text[],
      ${entries.map(({ actor }) => actor.name)}::text[], ${entries.map(({ target }) => target.kind)}::text[],
      ${entries.map(({ target }) => target.id)}::text[], ${entries.map(({ target }) => target.name)}::text[],
      ${entries.map(({ changes = {} }) => JSON.stringify(changes))}::text[],
      ${entries.map(({ data = {} }) => JSON.stringify(data))}::text[],
      ${entries.map(({ actor }) => actor.origin?.address ?? '')}::text[],
      ${entries.map(({ actor }) => actor.origin?.request_id ?? '')}::text[]
    ) as event (
      workspace_id, id, at, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name, changes, data,
      address, request_id
    ) ${onlyIf}`;
