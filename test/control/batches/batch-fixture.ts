import { runBatchTicks } from '../../../control/batches/batch-job.ts';
import type { NewBatch } from '../../../control/batches/batch-record.ts';
import { newBatch } from '../../../control/batches/batch-record.ts';
import type { BatchLogLine } from '../../../control/batches/batch-transitions.ts';
import { createUploads } from '../../../control/batches/contact-uploads.ts';
import { createBatches } from '../../../control/batches/manage-batches.ts';
import { findBatch, listContacts } from '../../../control/batches/store.ts';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { endUnconnected, transitionCall } from '../../../control/calls/lifecycle/call-state-machine.ts';
import { dequeueNext } from '../../../control/calls/queue/call-queue.ts';
import { lockCall } from '../../../control/calls/store.ts';
import type { HangupReason } from '../../../shared/call.ts';
import { createCallFixture, type Tenant } from '../calls/call-fixture.ts';

export const ASHA = { kind: 'user', id: 'asha', name: 'Asha' } as const;

/** The number in row `row` of `fileOf`. */
export const numberOf = (row: number) => `+9198${String(row).padStart(8, '0')}`;

/** Rows 2 to `contacts + 1`. */
export const fileOf = (contacts: number) =>
  Buffer.from(
    `phone,name\n${Array.from({ length: contacts }, (_, at) => `${numberOf(at + 2)},Person ${at + 2}`).join('\n')}\n`,
  );

/** Batches in a test database, with calls that the test ends. Call it in `beforeAll`. */
export async function createBatchFixture() {
  const calls = await createCallFixture();
  const { sql, clock } = calls;
  const lines: BatchLogLine[] = [];
  const writeLog = (line: BatchLogLine) => lines.push(line);
  const batches = createBatches({ sql, clock, writeLog, checkUrl: async () => {} });
  const uploads = createUploads({ sql, clock });

  const fixture = {
    ...calls,
    batches,
    uploads,
    lines,

    async make(tenant: Tenant, contacts: number, settings: Partial<NewBatch> = {}) {
      const { workspace_id, agent_id } = tenant;
      const options = { file: fileOf(contacts), phone_column: '', country_code: '91' };
      const upload = await uploads.add(workspace_id, ASHA, options);
      const batch = newBatch.parse({ agent_id, upload_id: upload.id, name: 'June' });
      const request = { workspace_id, actor: ASHA, zone: 'UTC', markCarriedOut: async () => {} };
      return batches.create({ ...request, batch: { ...batch, ...settings } });
    },

    feed: (tenant: Tenant) => runBatchTicks({ sql, clock, writeLog }, [tenant.workspace_id]),

    async batch({ workspace_id }: Tenant, id: string) {
      return (await findBatch(sql, workspace_id, id))!;
    },

    async contacts({ workspace_id }: Tenant, id: string) {
      return (await listContacts(sql, workspace_id, id, undefined, 500, 0)).items;
    },

    /** Takes all startable calls from the queue. */
    async dial({ workspace_id }: Tenant): Promise<CallRow[]> {
      const started: CallRow[] = [];
      for (;;) {
        const call = await sql.begin((tx) => dequeueNext(tx, workspace_id, clock.wall()));
        if (!call) return started;
        started.push(call);
      }
    },

    /** Ends a ringing call. */
    async end(call: CallRow, status: 'no-answer' | 'busy' | 'failed' | 'canceled', reason: string = status) {
      await sql.begin(async (tx) => {
        const held = (await lockCall(tx, call.workspace_id, call.id))!;
        const end = {
          hangup_by: 'carrier',
          hangup_reason: reason as HangupReason,
          level: 'info',
          message: reason,
        } as const;
        await endUnconnected(tx, held, { status, ...end }, clock.wall());
      });
    },

    /** Answers and completes a ringing call. */
    async talk(call: CallRow, reason: HangupReason = 'caller hung up') {
      await sql.begin(async (tx) => {
        const held = (await lockCall(tx, call.workspace_id, call.id))!;
        const now = new Date(clock.wall());
        await transitionCall(tx, held, 'in-progress', { started_at: now });
        const cost = { duration_seconds: 30, cost_paise: 150 };
        await transitionCall(tx, held, 'ended', { ended_at: now, hangup_by: 'caller', hangup_reason: reason, ...cost });
        await transitionCall(tx, held, 'completed', {
          completed_at: now,
          summary: '=Was glad',
          extracted: { mood: 'good' },
        });
      });
    },

    /** Whether the stored counts match the contacts. */
    async countsAreTrue(): Promise<boolean> {
      const wrong = await sql`
        select * from (
          select batch_id, status, count(*) as contacts, sum(cost_paise) as cost_paise from batch_contacts group by 1, 2
        ) as real full join (select * from batch_counts where contacts <> 0 or cost_paise <> 0) as stored
          on stored.batch_id = real.batch_id and stored.status = real.status
        where stored.contacts is distinct from real.contacts or stored.cost_paise is distinct from real.cost_paise`;
      return wrong.length === 0;
    },
  };
  return fixture;
}
export type BatchFixture = Awaited<ReturnType<typeof createBatchFixture>>;
