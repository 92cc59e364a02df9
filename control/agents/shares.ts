import { randomBytes } from 'node:crypto';
import { type AgentConfig, agentConfigSchema, agentFields } from '../../shared/agent.ts';
import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { maskHeaderValues } from '../tools/mask-tool-headers.ts';
import { withHeaderLists } from '../tools/seal-tool-headers.ts';
import { configOf } from './agent-for-call.ts';
import type { Saved } from './agent-record.ts';
import type { CheckProviders } from './check-providers.ts';
import type { AgentSaver } from './save-agent.ts';
import {
  countSharesLocked,
  deleteExpiredShares,
  deleteShare,
  findOpenShare,
  incrementCopies,
  insertShare,
  listShares,
  type ShareRow,
} from './share-store.ts';
import { lockAgentShared } from './store.ts';
import { shareable } from './strip-for-share.ts';

/** The rules of sharing: a version of an agent that any active workspace can read and copy by a token. */

const MAX_SHARES = 200;
const DAY_MS = 86_400_000;

export interface SharesDeps {
  sql: Sql;
  clock: Clock;
  saver: AgentSaver;
  checkProviders: CheckProviders;
}

export interface NewShare {
  agent_id: string;
  /** Null: never. */
  expires_in_days: number | null;
}

export type Shares = ReturnType<typeof createShares>;

export function createShares({ sql, clock, saver, checkProviders }: SharesDeps) {
  return {
    async create(workspaceId: string, actor: Actor, { agent_id, expires_in_days }: NewShare): Promise<ShareRow> {
      return sql.begin(async (tx) => {
        const row = await lockAgentShared(tx, workspaceId, agent_id);
        if (!row) throw notFound('agent');
        const wallMs = clock.wall();
        await deleteExpiredShares(tx, workspaceId, new Date(wallMs));
        if ((await countSharesLocked(tx, workspaceId)) >= MAX_SHARES) {
          throw conflict(`share limit reached (${MAX_SHARES})`);
        }
        const share: ShareRow = {
          token: randomBytes(16).toString('hex'),
          agent_id,
          agent_name: row.name,
          version: row.version,
          copies: 0,
          created_by: actor.name,
          created_at: new Date(wallMs),
          expires_at: expires_in_days === null ? null : new Date(wallMs + expires_in_days * DAY_MS),
        };
        await insertShare(tx, workspaceId, share, shareable(configOf(row)));
        const { version } = share;
        await audit(
          tx,
          workspaceId,
          actor,
          'agent.shared',
          { id: agent_id, name: row.name },
          { version, expires_in_days },
        );
        return share;
      });
    },

    list: (workspaceId: string): Promise<ShareRow[]> => listShares(sql, workspaceId, new Date(clock.wall())),

    /** Reads a share from any workspace; `agent` has no header values. */
    async read(token: string) {
      const share = await findOpenShare(sql, token, new Date(clock.wall()));
      if (!share) throw notFound('share');
      const { config, ...facts } = share;
      const agent = agentFields.parse(config);
      return { ...facts, agent: withHeaderLists(agent, maskHeaderValues) };
    },

    async remove(workspaceId: string, actor: Actor, token: string): Promise<void> {
      await sql.begin(async (tx) => {
        const gone = await deleteShare(tx, workspaceId, token);
        if (!gone) throw notFound('share');
        await audit(tx, workspaceId, actor, 'agent.unshared', { id: gone.agent_id, name: gone.agent_name }, {});
      });
    },

    /** Creates an agent in the caller's workspace; header values are empty. */
    async copy(workspaceId: string, actor: Actor, token: string, name: string | undefined): Promise<Saved> {
      const share = await findOpenShare(sql, token, new Date(clock.wall()));
      if (!share) throw notFound('share');
      const shared = { ...parseSharedConfig(share.config), name: name ?? share.agent_name };
      const { config, warnings } = await checkProviders(workspaceId, shared);
      const origin = { shared_agent: share.agent_name, shared_by: share.workspace_name };
      const row = await sql.begin(async (tx) => {
        await incrementCopies(tx, token);
        return saver.insert(tx, { workspace_id: workspaceId, actor, config }, origin);
      });
      return { row, warnings };
    },
  };

  async function audit(
    tx: Transaction,
    workspace_id: string,
    actor: Actor,
    action: AuditAction,
    { id, name }: { id: string; name: string },
    data: Record<string, number | null>,
  ): Promise<void> {
    const target = { kind: 'agent', id, name };
    await writeAudit(tx, { workspace_id, actor, action, target, data, at_ms: clock.wall() });
  }
}

/** Parses a shared configuration; fields that are newer than it get their defaults. @throws HttpError 409 when it breaks a newer rule. */
function parseSharedConfig(config: unknown): AgentConfig {
  const read = agentConfigSchema.safeParse(config);
  if (read.success) return read.data;
  throw conflict(`this share cannot be copied any more: ${read.error.issues[0]?.message ?? ''}`);
}
