import type { AgentTool } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import type { CheckUrl } from '../webhooks/check-url.ts';
import { restoredHeaders } from './mask-tool-headers.ts';
import type { ToolHeaders } from './seal-tool-headers.ts';
import {
  countTools,
  deleteTool,
  findToolIdByName,
  insertTool,
  listTools,
  lockLibrary,
  lockTool,
  updateTool,
} from './store.ts';
import { recordOf, type ToolRecord, type ToolRow } from './tool-record.ts';

const MAX_TOOLS = 100;

/** How many agents have a tool of this name and url. Handed in, because `agents` stands above `tools`. */
export type CountToolUses = (
  sql: AnySql,
  workspaceId: string,
  toolNames: readonly string[],
) => Promise<readonly { name: string; url: string; agents: number }[]>;

export interface ManageToolsDeps {
  sql: Sql;
  clock: Clock;
  countToolUses: CountToolUses;
  toolHeaders: ToolHeaders;
  /** For the address of a tool. */
  checkUrl: CheckUrl;
}

/** The rules of the tool library. An agent's tool is a copy: what changes here changes no agent. */
export function createTools({ sql, clock, countToolUses, toolHeaders, checkUrl }: ManageToolsDeps) {
  const now = () => new Date(clock.wall());

  async function recordsOf(workspaceId: string, rows: readonly ToolRow[], mayEdit: boolean): Promise<ToolRecord[]> {
    if (rows.length === 0) return [];
    const names = rows.map(({ name }) => name);
    const uses = await countToolUses(sql, workspaceId, names);
    const byTool = new Map(uses.map(({ name, url, agents }) => [`${name} ${url}`, agents]));
    // Opened for those only who may see them.
    const readable = mayEdit ? toolHeaders.open(workspaceId, rows) : rows;
    return readable.map((row) => recordOf(row, byTool.get(`${row.name} ${row.url}`) ?? 0, mayEdit));
  }

  async function requireFreeName(tx: Transaction, workspaceId: string, name: string, of: string): Promise<void> {
    const holder = await findToolIdByName(tx, workspaceId, name);
    if (holder !== null && holder !== of) throw conflict(`a tool named ${name} already exists`);
  }

  return {
    async list(workspaceId: string, mayEdit: boolean): Promise<ToolRecord[]> {
      return recordsOf(workspaceId, await listTools(sql, workspaceId), mayEdit);
    },

    async create(workspaceId: string, actor: Actor, sent: AgentTool): Promise<ToolRecord> {
      await checkUrl(sent.url);
      const at = now();
      const id = newId(clock.wall());
      const [sealed] = toolHeaders.seal(workspaceId, [
        { ...sent, headers: restoredHeaders(sent.headers, {}, ['headers']) },
      ]);
      const row: ToolRow = { ...sealed!, id, created_by: actor.name, created_at: at, updated_at: at };
      await sql.begin(async (tx) => {
        await lockLibrary(tx, workspaceId);
        if ((await countTools(tx, workspaceId)) >= MAX_TOOLS) throw conflict(`tool limit reached (${MAX_TOOLS})`);
        await requireFreeName(tx, workspaceId, row.name, id);
        await insertTool(tx, workspaceId, row);
        const target = { kind: 'tool', id, name: row.name };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'tool.created', target, at_ms: clock.wall() });
      });
      return (await recordsOf(workspaceId, [row], true))[0]!;
    },

    /** Replaces the whole entry. */
    async update(workspaceId: string, toolId: string, actor: Actor, sent: AgentTool): Promise<ToolRecord> {
      await checkUrl(sent.url);
      const saved = await sql.begin(async (tx) => {
        await lockLibrary(tx, workspaceId);
        const before = await lockTool(tx, workspaceId, toolId);
        if (!before) throw notFound('tool');
        const headers = restoredHeaders(sent.headers, before.headers, ['headers']);
        const [opened, changed] = toolHeaders.open(workspaceId, [before, { ...before, ...sent, headers }]);
        await requireFreeName(tx, workspaceId, changed!.name, toolId);
        const changes = changesBetween(opened!, changed!);
        const row = { ...toolHeaders.seal(workspaceId, [changed!])[0]!, updated_at: now() };
        await updateTool(tx, workspaceId, toolId, row, row.updated_at);
        const target = { kind: 'tool', id: toolId, name: row.name };
        const event = { workspace_id: workspaceId, actor, action: 'tool.updated' as const, target, changes };
        await writeAudit(tx, { ...event, at_ms: clock.wall() });
        return row;
      });
      return (await recordsOf(workspaceId, [saved], true))[0]!;
    },

    async remove(workspaceId: string, toolId: string, actor: Actor): Promise<void> {
      await sql.begin(async (tx) => {
        const name = await deleteTool(tx, workspaceId, toolId);
        if (name === null) throw notFound('tool');
        const target = { kind: 'tool', id: toolId, name };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'tool.deleted', target, at_ms: clock.wall() });
      });
    },
  };
}
