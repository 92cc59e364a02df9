import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { agentForCall, requireActive } from '../agents/agent-for-call.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { canPlaceCalls } from '../billing/wallet.ts';
import { wakeDispatcher } from '../calls/lifecycle/call-state-machine.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, outOfCredits, validationError } from '../http/errors.ts';
import { timeIn } from '../http/times.ts';
import { chooseCallerNumber } from '../numbers/number-lookups.ts';
import { setCampaignUrl } from '../webhooks/configured-urls.ts';
import type { BatchChange, BatchRecord, NewBatch } from './batch-record.ts';
import { batchLogLine, endBatch, transitionBatch, type WriteBatchLog } from './batch-transitions.ts';
import {
  type BatchRow,
  countActiveBatches,
  currencyOf,
  deleteBatch,
  findBatch,
  findUpload,
  type InlineContact,
  insertBatch,
  insertContacts,
  insertUploadedContacts,
  lockBatch,
  updateBatch,
} from './store.ts';

export interface ManageBatchesDeps {
  sql: Sql;
  clock: Clock;
  writeLog: WriteBatchLog;
  /** @throws HttpError 422 */
  checkUrl(url: string): Promise<void>;
}

export interface CreateBatchRequest {
  workspace_id: string;
  actor: Actor;
  /** Time zone for the default name. */
  zone: string;
  batch: NewBatch;
  /** Marks the idempotent request as carried out, in the transaction of the batch. */
  markCarriedOut(tx: AnySql): Promise<void>;
}

const MAX_SCHEDULE_AHEAD_MS = 30 * 24 * 3_600_000;
/** The maximum number of variables of a call. */
const MAX_KEYS = 100;
/** Per workspace; each is polled every second. */
const MAX_ACTIVE_BATCHES = 1_000;

/** The operations on batches: create, update, pause, resume, cancel, remove. */
export function createBatches({ sql, clock, writeLog, checkUrl }: ManageBatchesDeps) {
  async function change(
    workspaceId: string,
    batchId: string,
    message: string,
    run: (tx: Transaction, batch: BatchRow, nowMs: number) => Promise<void>,
  ): Promise<BatchRecord> {
    const { record, row } = await sql.begin(async (tx) => {
      const row = await lockBatch(tx, workspaceId, batchId);
      if (!row) throw notFound('batch');
      await run(tx, row, clock.wall());
      const record = await findBatch(tx, workspaceId, batchId);
      return { record: record!, row };
    });
    writeLog(batchLogLine(row, 'info', message));
    return record;
  }

  return {
    /**
     * Creates a batch with its contacts; it starts at once, or at `scheduled_at`.
     * @throws HttpError in this order: 422, 404 agent or upload, 409 paused or frozen agent or too many batches, 400 no caller number, 402.
     */
    async create({ workspace_id, actor, zone, batch: sent, markCarriedOut }: CreateBatchRequest): Promise<BatchRecord> {
      const nowMs = clock.wall();
      const { upload_id, contacts: sentContacts, name, scheduled_at, ...settings } = sent;
      if (scheduled_at && scheduled_at.getTime() > nowMs + MAX_SCHEDULE_AHEAD_MS) {
        throw validationError(
          'scheduled_at may lie at most 30 days ahead',
          ['scheduled_at'],
          scheduled_at.toISOString(),
        );
      }
      const contacts = inlineContacts(sentContacts ?? []);
      const keys = keysOf(contacts);
      if (settings.webhook_url !== '') await checkWebhook(settings.webhook_url);
      const { record, row } = await sql.begin(async (tx) => {
        const agent = await agentForCall(tx, workspace_id, settings.agent_id);
        if (!agent) throw notFound('agent');
        const upload = upload_id === undefined ? null : await findUpload(tx, workspace_id, upload_id, nowMs);
        if (upload_id !== undefined && !upload) throw notFound('upload');
        requireActive(agent);
        if ((await countActiveBatches(tx, workspace_id, MAX_ACTIVE_BATCHES)) >= MAX_ACTIVE_BATCHES) {
          throw conflict(`at most ${MAX_ACTIVE_BATCHES} batches under way: wait for some, or cancel them`);
        }
        const from_numbers = [...new Set(settings.from_numbers)];
        const asked = from_numbers.length > 0 ? from_numbers : [undefined];
        for (const number of asked) await chooseCallerNumber(tx, workspace_id, agent.id, number);
        if (!(await canPlaceCalls(tx, workspace_id))) throw outOfCredits();

        const now = new Date(nowMs);
        const later = scheduled_at !== undefined && scheduled_at > now;
        const row: BatchRow = {
          ...settings,
          workspace_id,
          id: newId(nowMs),
          agent_name: agent.name,
          name: name ?? `Batch of ${timeIn(zone, nowMs).slice(0, 10)}`,
          status: later ? 'scheduled' : 'running',
          from_numbers,
          scheduled_at: scheduled_at ?? null,
          retry_on: [...new Set(settings.retry_on)],
          total: upload ? upload.valid_rows : contacts.length,
          paused_reason: '',
          currency: await currencyOf(tx, workspace_id),
          created_by: actor.name,
          created_at: now,
          started_at: later ? null : now,
          completed_at: null,
          keys: upload ? upload.keys : keys,
          placed: 0,
          failures_since: later ? null : now,
        };
        await insertBatch(tx, row);
        if (upload) await insertUploadedContacts(tx, row, upload.id, nowMs);
        else await insertContacts(tx, row, contacts, nowMs);
        if (row.webhook_url !== '') await setCampaignUrl(tx, workspace_id, row.id, row.webhook_url);
        const target = { kind: 'batch', id: row.id, name: row.name };
        const data = { agent_id: agent.id, contacts: row.total, status: row.status };
        await writeAudit(tx, { workspace_id, actor, action: 'batch.created', target, data, at_ms: nowMs });
        await markCarriedOut(tx);
        // The batch scheduler listens to the same channel.
        await wakeDispatcher(tx, workspace_id);
        const record = await findBatch(tx, workspace_id, row.id);
        return { record: record!, row };
      });
      writeLog(batchLogLine(row, 'info', 'batch created'));
      return record;
    },

    /** @throws HttpError 404, 409 when it has ended. */
    async update(workspaceId: string, batchId: string, sent: BatchChange, actor: Actor): Promise<BatchRecord> {
      if (!(await findBatch(sql, workspaceId, batchId))) throw notFound('batch');
      if (sent.webhook_url) await checkWebhook(sent.webhook_url);
      return change(workspaceId, batchId, 'batch updated', async (tx, batch, nowMs) => {
        requireOngoing(batch);
        const { name, webhook_url, concurrency } = batch;
        const old = { name, webhook_url, concurrency };
        const now = {
          name: sent.name ?? name,
          webhook_url: sent.webhook_url ?? webhook_url,
          concurrency: sent.concurrency === undefined ? concurrency : sent.concurrency,
        };
        const changes = changesBetween(old, now);
        if (Object.keys(changes).length === 0) return;
        await updateBatch(tx, batch, now);
        if (now.webhook_url !== old.webhook_url) await setCampaignUrl(tx, workspaceId, batchId, now.webhook_url);
        const target = { kind: 'batch', id: batchId, name: now.name };
        await writeAudit(tx, {
          ...{ workspace_id: workspaceId, actor, action: 'batch.updated', target, changes, at_ms: nowMs },
        });
        await wakeDispatcher(tx, workspaceId);
      });
    },

    /** Stops dialling; live calls go on and queued ones wait. @throws HttpError 404, 409 */
    async pause(workspaceId: string, batchId: string, actor: Actor): Promise<BatchRecord> {
      return change(workspaceId, batchId, 'batch paused', async (tx, batch, nowMs) => {
        requireOngoing(batch);
        if (batch.status === 'paused') throw conflict('the batch is already paused');
        await transitionBatch(tx, batch, 'paused', 'paused', { paused_reason: `by ${actor.name}` }, actor, nowMs);
      });
    },

    /** @throws HttpError 404, 409, 402 while out of credits. */
    async resume(workspaceId: string, batchId: string, actor: Actor): Promise<BatchRecord> {
      return change(workspaceId, batchId, 'batch resumed', async (tx, batch, nowMs) => {
        requireOngoing(batch);
        if (batch.status !== 'paused') throw conflict('the batch is not paused');
        if (!(await canPlaceCalls(tx, workspaceId))) throw outOfCredits();
        const now = new Date(nowMs);
        const ahead = batch.started_at === null && batch.scheduled_at !== null && batch.scheduled_at > now;
        const started = ahead ? {} : { started_at: batch.started_at ?? now, failures_since: now };
        const status = ahead ? 'scheduled' : 'running';
        await transitionBatch(tx, batch, 'resumed', status, { paused_reason: '', ...started }, actor, nowMs);
        await wakeDispatcher(tx, workspaceId);
      });
    },

    /** Cancels waiting contacts and queued calls; live calls go on. @throws HttpError 404, 409 */
    async cancel(workspaceId: string, batchId: string, actor: Actor): Promise<BatchRecord> {
      return change(workspaceId, batchId, 'batch canceled', async (tx, batch, nowMs) => {
        requireOngoing(batch);
        await endBatch(tx, batch, { actor, reason: 'batch canceled' }, nowMs);
      });
    },

    /** Deletes the batch and its contacts; its calls stay. @throws HttpError 404, 409 while it runs or is paused. */
    async remove(workspaceId: string, batchId: string, actor: Actor): Promise<void> {
      const row = await sql.begin(async (tx) => {
        const batch = await lockBatch(tx, workspaceId, batchId);
        if (!batch) throw notFound('batch');
        const { status, name } = batch;
        if (status === 'running' || status === 'paused') throw conflict(`the batch is ${status}: cancel it first`);
        await setCampaignUrl(tx, workspaceId, batchId, '');
        await deleteBatch(tx, batch);
        const target = { kind: 'batch', id: batchId, name };
        const entry = {
          workspace_id: workspaceId,
          actor,
          action: 'batch.deleted' as const,
          target,
          at_ms: clock.wall(),
        };
        await writeAudit(tx, { ...entry, data: { contacts: batch.total } });
        return batch;
      });
      writeLog(batchLogLine(row, 'info', 'batch deleted'));
    },
  };

  async function checkWebhook(url: string): Promise<void> {
    if (!URL.canParse(url)) {
      const item = { type: 'url_parsing', loc: ['body', 'webhook_url'], msg: 'Input should be a valid URL' };
      throw new HttpError(422, [{ ...item, input: url.slice(0, 200) }]);
    }
    try {
      await checkUrl(url);
    } catch (error) {
      // The check's error names the field `url`.
      if (!(error instanceof HttpError) || typeof error.detail === 'string') throw error;
      throw new HttpError(
        422,
        error.detail.map((item) => ({ ...item, loc: ['body', 'webhook_url'] })),
      );
    }
  }
}
export type Batches = ReturnType<typeof createBatches>;

function requireOngoing({ status }: BatchRow): void {
  if (status === 'completed' || status === 'canceled') throw conflict('the batch is over');
}

/** Duplicate numbers stay in the list as skipped contacts. */
function inlineContacts(contacts: NonNullable<NewBatch['contacts']>): InlineContact[] {
  const seen = new Set<string>();
  return contacts.map(({ to_number, user_data }, at) => {
    const skipped = seen.has(to_number) ? 'duplicate number' : '';
    seen.add(to_number);
    return { row: at + 1, to_number, user_data, skipped };
  });
}

function keysOf(contacts: readonly InlineContact[]): string[] {
  const keys = new Set(contacts.flatMap(({ user_data }) => Object.keys(user_data)));
  if (keys.size > MAX_KEYS) throw validationError(`at most ${MAX_KEYS} different names in user_data`, ['contacts']);
  return [...keys];
}
