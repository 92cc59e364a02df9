import { errorText } from '../../shared/log.ts';
import { maskNumber } from '../../shared/phone.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { listRates } from '../billing/rate-overrides.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { USED_ELSEWHERE } from './connect-number.ts';
import { type NumberRecord, recordOf } from './number-record.ts';
import type { ReleaseNumber } from './release-number.ts';
import { carrierUnavailable, type InventoryDeps } from './search-inventory.ts';
import { clearAgent, findNumber, listNumbers, lockNumber, type NumberRow, setAgent } from './store.ts';

export interface ManageNumbersDeps extends InventoryDeps {
  releaseNumber: ReleaseNumber;
  /** Called when there is a number to be released at its carrier. */
  onReleasing(): void;
}

/** Who changes which number. */
export interface NumberChange {
  workspaceId: string;
  actor: Actor;
  number: string;
}

/** What a workspace does with the numbers it has. */
export function createNumbers({ sql, clock, log, carriers, releaseNumber, onReleasing }: ManageNumbersDeps) {
  /** Changes a number under its lock and writes the audit event. */
  async function change(
    { workspaceId, actor, number }: NumberChange,
    action: 'number.connected' | 'number.disconnected' | 'number.released',
    apply: (tx: Transaction, row: NumberRow) => Promise<Record<string, string>>,
  ): Promise<void> {
    await sql.begin(async (tx) => {
      // Before the number, because a release stops its renewal.
      await lockWorkspace(tx, workspaceId);
      const row = await lockNumber(tx, number);
      if (!row || row.status === 'released') throw notFound('number');
      // The specification says so for connecting only; otherwise a foreign number is like none.
      if (row.workspace_id !== workspaceId) {
        throw action === 'number.connected' ? conflict(USED_ELSEWHERE) : notFound('number');
      }
      const data = await apply(tx, row);
      const name = maskNumber(number);
      const target = { kind: 'number', id: name, name };
      await writeAudit(tx, { workspace_id: workspaceId, actor, action, target, data, at_ms: clock.wall() });
    });
  }

  /** Of a number that the workspace bought; those that the service entered are pointed by its team. */
  async function pointCalls(workspaceId: string, number: string): Promise<void> {
    const row = await findNumber(sql, number);
    if (row?.workspace_id !== workspaceId || row.status === 'released' || row.order_id === null) return;
    const { provider } = row;
    try {
      const inventory = carriers.get(provider)?.numbers;
      if (!inventory) throw new Error('the carrier is not configured');
      await inventory.pointCalls(number);
    } catch (error) {
      log.warn({ provider, error: errorText(error) }, "pointing a number's calls here failed");
      throw carrierUnavailable();
    }
  }

  async function record(workspaceId: string, number: string): Promise<NumberRecord> {
    const [[row], rates] = await Promise.all([listNumbers(sql, workspaceId, number), listRates(sql)]);
    if (!row) throw notFound('number');
    return recordOf(rates, row);
  }

  return {
    record,

    async list(workspaceId: string): Promise<NumberRecord[]> {
      const [rows, rates] = await Promise.all([listNumbers(sql, workspaceId), listRates(sql)]);
      return rows.map((row) => recordOf(rates, row));
    },

    /** Routes inbound calls on the number to the agent, and moves it off any other agent. */
    async connect(request: NumberChange, agentId: string): Promise<NumberRecord> {
      const { workspaceId, number } = request;
      await pointCalls(workspaceId, number);
      await change(request, 'number.connected', async (tx, row) => {
        if (!(await agentForCall(tx, workspaceId, agentId))) throw notFound('agent');
        // Connected once more it keeps its place among the agent's numbers.
        if (row.agent_id !== agentId) await setAgent(tx, workspaceId, number, agentId, new Date(clock.wall()));
        return { agent_id: agentId };
      });
      return record(workspaceId, number);
    },

    /** Inbound calls on the number are rejected from now on. */
    async disconnect(request: NumberChange): Promise<NumberRecord> {
      const { workspaceId, number } = request;
      await change(request, 'number.disconnected', async (tx, row) => {
        await clearAgent(tx, workspaceId, number);
        return { agent_id: row.agent_id ?? '' };
      });
      return record(workspaceId, number);
    },

    /**
     * The workspace gives the number up at once, without a refund; one that it bought is released at its carrier, as soon as that
     * answers. Calls that ring go on.
     */
    async release(request: NumberChange): Promise<void> {
      await change(request, 'number.released', async (tx, row) => {
        await releaseNumber(tx, row, clock.wall());
        return { provider: row.provider };
      });
      onReleasing();
    },
  };
}

export type Numbers = ReturnType<typeof createNumbers>;
