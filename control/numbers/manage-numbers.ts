import type { Clock } from '../../shared/clock.ts';
import { maskNumber } from '../../shared/phone.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { USED_ELSEWHERE } from './connect-number.ts';
import { type NumberRecord, recordOf } from './number-record.ts';
import { clearAgent, listNumbers, lockNumber, type NumberRow, setAgent, setReleased } from './store.ts';

export interface ManageNumbersDeps {
  sql: Sql;
  clock: Clock;
}

/** Who changes which number. */
export interface NumberChange {
  workspaceId: string;
  actor: Actor;
  number: string;
}

/** What a workspace does with the numbers it has. */
export function createNumbers({ sql, clock }: ManageNumbersDeps) {
  /** Changes a number under its lock and writes the audit event. */
  async function change(
    { workspaceId, actor, number }: NumberChange,
    action: 'number.connected' | 'number.disconnected' | 'number.released',
    apply: (tx: Transaction, row: NumberRow) => Promise<Record<string, string>>,
  ): Promise<void> {
    await sql.begin(async (tx) => {
      const row = await lockNumber(tx, number);
      if (!row || row.status === 'released') throw notFound('number');
      if (row.workspace_id !== workspaceId) throw conflict(USED_ELSEWHERE);
      const data = await apply(tx, row);
      const name = maskNumber(number);
      const target = { kind: 'number', id: name, name };
      await writeAudit(tx, { workspace_id: workspaceId, actor, action, target, data, at_ms: clock.wall() });
    });
  }

  async function record(workspaceId: string, number: string): Promise<NumberRecord> {
    const [row] = await listNumbers(sql, workspaceId, number);
    if (!row) throw notFound('number');
    return recordOf(row);
  }

  return {
    async list(workspaceId: string): Promise<NumberRecord[]> {
      return (await listNumbers(sql, workspaceId)).map(recordOf);
    },

    /** Routes inbound calls on the number to the agent, and moves it off any other agent. */
    async connect(request: NumberChange, agentId: string): Promise<NumberRecord> {
      const { workspaceId, number } = request;
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

    /** The workspace gives the number up at once, without a refund. Calls that ring go on. */
    async release(request: NumberChange): Promise<void> {
      const { workspaceId, number } = request;
      await change(request, 'number.released', async (tx, row) => {
        await setReleased(tx, workspaceId, number, new Date(clock.wall()));
        return { provider: row.provider };
      });
    },
  };
}

export type Numbers = ReturnType<typeof createNumbers>;
