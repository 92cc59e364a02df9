import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { changesBetween } from '../audit/changes.ts';
import { type AuditEntry, writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import type { CheckUrl } from './check-url.ts';
import { failWaiting } from './delivery-store.ts';
import type { EndpointChangeBody, NewEndpoint } from './endpoint-record.ts';
import {
  countEndpointsLocked,
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  replaceSecret,
  updateEndpoint,
} from './store.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

const MAX_ENDPOINTS = 20;

export interface ManageEndpointsDeps {
  sql: Sql;
  clock: Clock;
  secrets: WebhookSecrets;
  checkUrl: CheckUrl;
}

/** The API's operations on a workspace's endpoints and secrets. */
export function createEndpointService({ sql, clock, secrets, checkUrl }: ManageEndpointsDeps) {
  async function audit(
    tx: Transaction,
    workspace_id: string,
    actor: Actor,
    action: AuditAction,
    target: { id: string; url: string },
    changes?: AuditEntry['changes'],
  ): Promise<void> {
    const shown = { kind: 'webhook_endpoint', id: target.id, name: hostOf(target.url) };
    const entry = { workspace_id, actor, action, target: shown, at_ms: clock.wall() };
    await writeAudit(tx, changes ? { ...entry, changes } : entry);
  }

  async function change<Result>(
    workspaceId: string,
    id: string,
    run: (tx: Transaction, endpoint: EndpointRow) => Promise<Result>,
  ): Promise<Result> {
    return sql.begin(async (tx) => {
      const endpoint = await lockEndpoint(tx, workspaceId, id);
      if (!endpoint) throw notFound('webhook endpoint');
      return run(tx, endpoint);
    }) as Promise<Result>;
  }

  return {
    list: (workspaceId: string): Promise<EndpointRow[]> => listEndpoints(sql, workspaceId),

    /** @param grantId the connection of the app that makes it, and with which it stops. */
    async create(
      workspaceId: string,
      actor: Actor,
      sent: NewEndpoint,
      grantId: string | null = null,
    ): Promise<EndpointRow & { secret: string }> {
      await checkUrl(sent.url);
      const id = `we_${newId(clock.wall())}`;
      const { plain, stored } = secrets.newForEndpoint(workspaceId, id);
      const endpoint: EndpointRow = {
        id,
        ...sent,
        events: [...new Set(sent.events)],
        secret_hint: stored.secret_hint,
        created_at: new Date(clock.wall()),
        created_by: actor.name,
      };
      await sql.begin(async (tx) => {
        if ((await countEndpointsLocked(tx, workspaceId)) >= MAX_ENDPOINTS) {
          throw conflict(`webhook endpoint limit reached (${MAX_ENDPOINTS})`);
        }
        await insertEndpoint(tx, workspaceId, { ...endpoint, secret: stored.secret, grant_id: grantId });
        await audit(tx, workspaceId, actor, 'webhook.created', endpoint);
      });
      return { ...endpoint, secret: plain };
    },

    /** Changes the fields that were sent. Waiting deliveries go to the new URL, or fail when the endpoint becomes inactive. */
    async update(workspaceId: string, id: string, sent: EndpointChangeBody, actor: Actor): Promise<EndpointRow> {
      if (!(await findEndpoint(sql, workspaceId, id))) throw notFound('webhook endpoint');
      if (sent.url !== undefined) await checkUrl(sent.url);
      return change(workspaceId, id, async (tx, before) => {
        const { url, description, events, active } = before;
        const old = { url, description, events, active };
        const now = {
          url: sent.url ?? url,
          description: sent.description ?? description,
          events: sent.events ? [...new Set(sent.events)] : events,
          active: sent.active ?? active,
        };
        const changes = changesBetween(old, now);
        if (Object.keys(changes).length === 0) return before;
        await updateEndpoint(tx, workspaceId, id, now);
        if (active && !now.active) await failWaiting(tx, workspaceId, id, 'endpoint inactive');
        await audit(tx, workspaceId, actor, 'webhook.updated', { id, url: now.url }, changes);
        return { ...before, ...now };
      });
    },

    async remove(workspaceId: string, id: string, actor: Actor): Promise<void> {
      await change(workspaceId, id, async (tx, endpoint) => {
        await deleteEndpoint(tx, workspaceId, id);
        await failWaiting(tx, workspaceId, id, 'endpoint deleted');
        await audit(tx, workspaceId, actor, 'webhook.deleted', endpoint);
      });
    },

    /** Replaces the secret at once, also for waiting deliveries. */
    async rotate(workspaceId: string, id: string, actor: Actor): Promise<EndpointRow & { secret: string }> {
      return change(workspaceId, id, async (tx, endpoint) => {
        const { plain, stored } = secrets.newForEndpoint(workspaceId, id);
        await replaceSecret(tx, workspaceId, id, stored);
        await audit(tx, workspaceId, actor, 'webhook.secret_rotated', endpoint);
        return { ...endpoint, secret_hint: stored.secret_hint, secret: plain };
      });
    },

    async defaultSecret(workspaceId: string): Promise<{ secret_hint: string; created_at: Date }> {
      const { secret_hint, created_at } = await secrets.ensureDefault(sql, workspaceId);
      return { secret_hint, created_at };
    },

    async rotateDefault(workspaceId: string, actor: Actor) {
      return sql.begin(async (tx) => {
        const { plain, row } = await secrets.rotateDefault(tx, workspaceId);
        const target = { kind: 'webhook_secret', id: 'default', name: 'default secret' };
        const action = 'webhook.default_secret_rotated';
        await writeAudit(tx, { workspace_id: workspaceId, actor, action, target, at_ms: clock.wall() });
        return { secret: plain, secret_hint: row.secret_hint, created_at: row.created_at };
      });
    },
  };
}

/** For the audit trail: a URL may contain secrets, its host does not. */
const hostOf = (url: string) => URL.parse(url)?.hostname ?? '';
