import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { restoreHeaderValues } from '../tools/mask-tool-headers.ts';
import { type ToolHeaders, type WithHeaderLists, withHeaderLists } from '../tools/seal-tool-headers.ts';
import { failDeliveriesToAgentUrl } from '../webhooks/configured-urls.ts';
import { changedFields } from './agent-diff.ts';
import { configOf } from './agent-for-call.ts';
import type { AgentRow, Saved } from './agent-record.ts';
import type { CheckProviders } from './check-providers.ts';
import {
  requireAmbientSound,
  requireHandoffAgents,
  requireKnowledgeBases,
  withoutMissingReferences,
} from './references.ts';
import {
  type AgentSave,
  countAgentsLocked,
  deleteAgent,
  findAgent,
  findVersion,
  insertAgent,
  insertVersion,
  lockAgent,
  lockForDeletion,
  nextVersion,
  updateAgent,
  type VersionRow,
} from './store.ts';

export const MAX_AGENTS = 200;

/** Fails the agent's queued calls with `agent deleted`. Runs before the agent is deleted. */
export type OnAgentDeleted = (tx: Transaction, workspaceId: string, agentId: string) => Promise<void>;

export interface SaveAgentDeps {
  sql: Sql;
  clock: Clock;
  onAgentDeleted: OnAgentDeleted;
  toolHeaders: ToolHeaders;
}

export interface Change {
  workspace_id: string;
  /** Shown as `updated_by`. */
  actor: Actor;
  config: AgentConfig;
}

/** The origin of a new agent, for the audit trail. */
type Origin = Record<string, string>;

export type AgentSaver = ReturnType<typeof createAgentSaver>;

/** The rules for making, changing and removing an agent. The values of headers are stored sealed and returned opened. */
export function createAgentSaver({ sql, clock, onAgentDeleted, toolHeaders }: SaveAgentDeps) {
  const sealed = <Agent extends WithHeaderLists>(workspaceId: string, agent: Agent): Agent =>
    withHeaderLists(agent, (items) => toolHeaders.seal(workspaceId, items));
  const opened = <Agent extends WithHeaderLists>(workspaceId: string, agent: Agent): Agent =>
    withHeaderLists(agent, (items) => toolHeaders.open(workspaceId, items));

  return {
    async create({ workspace_id, actor, config: sent }: Change): Promise<AgentRow> {
      const config = restoreHeaderValues(sent, { tools: [], mcp_servers: [] });
      return sql.begin((tx) => insert(tx, { workspace_id, actor, config }));
    },

    insert,

    /** Copies the configuration, header values included, under another name; a frozen agent's copy is paused. */
    async duplicate(workspace_id: string, agentId: string, actor: Actor, check: CheckProviders): Promise<Saved> {
      const source = await findAgent(sql, workspace_id, agentId);
      if (!source) throw notFound('agent');
      const checked = await check(workspace_id, { ...configOf(source), name: nameOfCopy(source.name) });
      const { warnings } = checked;
      const row = await sql.begin(async (tx) => {
        const config = await withoutMissingReferences(tx, workspace_id, checked.config);
        return insert(tx, { workspace_id, actor, config }, { duplicate_of: agentId });
      });
      return { row, warnings };
    },

    /** Saves the whole configuration as a new version, unless nothing changed. */
    async update(agentId: string, { workspace_id, actor, config: sent }: Change, expectedVersion: number | null) {
      return sql.begin(async (tx): Promise<AgentRow> => {
        await requireKnowledgeBases(tx, workspace_id, sent);
        await requireAmbientSound(tx, workspace_id, sent);
        await requireHandoffAgents(tx, workspace_id, sent, agentId);
        const stored = await lockAgent(tx, workspace_id, agentId);
        if (!stored) throw notFound('agent');
        const row = opened(workspace_id, stored);
        const config = restoreHeaderValues(sent, row);
        requireExpectedVersion(expectedVersion, row);
        const before = configOf(row);
        // The status of a frozen agent cannot be set.
        if (row.status === 'frozen') config.status = before.status;
        const changes = changedFields(before, config);
        if (changes.length === 0) return row;
        const save = newSave(workspace_id, agentId, await nextVersion(tx, workspace_id, agentId), actor.name);
        const toStore = sealed(workspace_id, config);
        await updateAgent(tx, toStore, save);
        await cancelDeliveriesOfClearedUrl(tx, save, before, config);
        await insertVersion(tx, toStore, save, { changes });
        await audit(tx, workspace_id, actor, 'agent.updated', { id: agentId, name: config.name }, { before, config });
        return opened(workspace_id, (await findAgent(tx, workspace_id, agentId))!);
      });
    },

    /** Saves a configuration as a version that no call uses. @throws HttpError 409 when it is the one in use. */
    async saveVersion(agentId: string, { workspace_id, actor, config: sent }: Change): Promise<VersionRow> {
      return sql.begin(async (tx) => {
        await requireKnowledgeBases(tx, workspace_id, sent);
        await requireAmbientSound(tx, workspace_id, sent);
        await requireHandoffAgents(tx, workspace_id, sent, agentId);
        const stored = await lockAgent(tx, workspace_id, agentId);
        if (!stored) throw notFound('agent');
        const row = opened(workspace_id, stored);
        const before = configOf(row);
        const config = { ...restoreHeaderValues(sent, row), status: before.status };
        const changes = changedFields(before, config);
        if (changes.length === 0) throw conflict('nothing differs from the version in use');
        const version = await nextVersion(tx, workspace_id, agentId);
        await insertVersion(tx, sealed(workspace_id, config), newSave(workspace_id, agentId, version, actor.name), {
          changes,
        });
        const target = { id: agentId, name: row.name };
        await audit(tx, workspace_id, actor, 'agent.version_saved', target, { before, config, data: { version } });
        return (await findVersion(tx, workspace_id, agentId, version))!;
      });
    },

    /**
     * Saves an earlier configuration as a new version, even when it is the same. References to what no longer exists are left
     * out. The status stays as it is: only a member who sets it starts or stops an agent.
     *
     * @param change has the version to restore in place of a configuration.
     */
    async restore(
      agentId: string,
      { workspace_id, actor, version }: Omit<Change, 'config'> & { version: number },
      expectedVersion: number | null,
      check: CheckProviders,
    ): Promise<Saved> {
      const stored = await findVersion(sql, workspace_id, agentId, version);
      if (!stored) throw notFound((await findAgent(sql, workspace_id, agentId)) ? 'version' : 'agent');
      const { config: checked, warnings } = await check(
        workspace_id,
        parseStoredConfig(opened(workspace_id, stored.config), version),
        agentId,
      );
      const restored = { workspace_id, actor, version, config: checked, action: 'agent.restored' } as const;
      const row = await sql.begin((tx) => restoreIn(tx, agentId, restored, expectedVersion));
      return { row, warnings };
    },

    restoreIn,

    async remove(workspaceId: string, agentId: string, actor: Actor): Promise<void> {
      await sql.begin(async (tx) => {
        if (!(await lockForDeletion(tx, workspaceId, agentId))) throw notFound('agent');
        const agent = await findAgent(tx, workspaceId, agentId);
        await onAgentDeleted(tx, workspaceId, agentId);
        await deleteAgent(tx, workspaceId, agentId);
        await audit(tx, workspaceId, actor, 'agent.deleted', { id: agentId, name: agent?.name ?? '' }, {});
      });
    },
  };

  /** The same with the configuration of that version, as it was checked. Joins the caller's transaction. */
  async function restoreIn(
    tx: Transaction,
    agentId: string,
    { workspace_id, actor, version, config: checked, action }: Change & { version: number; action: AuditAction },
    expectedVersion: number | null,
  ): Promise<AgentRow> {
    const row = await lockAgent(tx, workspace_id, agentId);
    if (!row) throw notFound('agent');
    requireExpectedVersion(expectedVersion, row);
    const before = configOf(opened(workspace_id, row));
    const config = { ...(await withoutMissingReferences(tx, workspace_id, checked)), status: before.status };
    const save = newSave(workspace_id, agentId, await nextVersion(tx, workspace_id, agentId), actor.name);
    const toStore = sealed(workspace_id, config);
    await updateAgent(tx, toStore, save);
    await cancelDeliveriesOfClearedUrl(tx, save, before, config);
    await insertVersion(tx, toStore, save, { changes: changedFields(before, config), restored_from: version });
    const target = { id: agentId, name: config.name };
    await audit(tx, workspace_id, actor, action, target, { before, config, data: { version } });
    return opened(workspace_id, (await findAgent(tx, workspace_id, agentId))!);
  }

  /** Joins the caller's transaction. */
  async function insert(tx: Transaction, change: Change, origin: Origin = {}): Promise<AgentRow> {
    const { workspace_id, actor } = change;
    const config = sealed(workspace_id, change.config);
    await requireKnowledgeBases(tx, workspace_id, config);
    await requireAmbientSound(tx, workspace_id, config);
    await requireHandoffAgents(tx, workspace_id, config, null);
    if ((await countAgentsLocked(tx, workspace_id)) >= MAX_AGENTS) {
      throw conflict(`agent limit reached (${MAX_AGENTS})`);
    }
    const save = newSave(workspace_id, newId(clock.wall()), 1, actor.name);
    await insertAgent(tx, config, save);
    await insertVersion(tx, config, save, { changes: [] });
    const target = { id: save.id, name: config.name };
    await audit(tx, workspace_id, actor, 'agent.created', target, { data: origin });
    return opened(workspace_id, (await findAgent(tx, workspace_id, save.id))!);
  }

  async function audit(
    tx: Transaction,
    workspace_id: string,
    actor: Actor,
    action: AuditAction,
    { id, name }: { id: string; name: string },
    {
      before = {},
      config = {},
      data = {},
    }: { before?: object; config?: object; data?: Record<string, string | number> },
  ): Promise<void> {
    const changes = changesBetween(before, config);
    const target = { kind: 'agent', id, name };
    await writeAudit(tx, { workspace_id, actor, action, target, changes, data, at_ms: clock.wall() });
  }

  function newSave(workspace_id: string, id: string, version: number, updated_by: string): AgentSave {
    return { workspace_id, id, version, updated_by, updated_at: new Date(clock.wall()) };
  }
}

/** Cancels the waiting webhook deliveries of an agent whose `webhook_url` was cleared. */
async function cancelDeliveriesOfClearedUrl(
  tx: Transaction,
  save: AgentSave,
  before: AgentConfig,
  now: AgentConfig,
): Promise<void> {
  const { workspace_id, id } = save;
  if (before.webhook_url !== '' && now.webhook_url === '') await failDeliveriesToAgentUrl(tx, workspace_id, id);
}

/** @throws HttpError 409 when `If-Match` names another version. */
function requireExpectedVersion(expectedVersion: number | null, { version }: AgentRow): void {
  if (expectedVersion !== null && expectedVersion !== version) {
    throw conflict(`the agent was changed to version ${version}`);
  }
}

/** Parses a stored configuration; fields that are newer than it get their defaults. @throws HttpError 409 when it breaks a newer rule. */
export function parseStoredConfig(config: unknown, version: number): AgentConfig {
  const read = agentConfigSchema.safeParse(config);
  if (read.success) return read.data;
  const why = read.error.issues[0]?.message ?? '';
  throw conflict(`version ${version} cannot be restored: ${why}`);
}

const MAX_NAME_LENGTH = 120;
const COPY_SUFFIX = ' (copy)';

export function nameOfCopy(name: string): string {
  let start = name.slice(0, MAX_NAME_LENGTH - COPY_SUFFIX.length);
  // The cut may have split a surrogate pair.
  if (!start.isWellFormed()) start = start.slice(0, -1);
  return start + COPY_SUFFIX;
}
