import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { type AttachedFile, type MailTransport, RejectedEmail } from './mail-transport.ts';
import type { Attachment } from './queue-email.ts';

const POLL_INTERVAL_MS = 2_000;
/** How long a leased email belongs to its sender; longer than the transport ever takes. */
const LEASE_MS = 120_000;
const MINUTE_MS = 60_000;
/** Delays after each failed attempt. The link in an email is of no use after a day. */
const RETRY_DELAYS_MS = [0.5, 2, 10, 30, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS);
const CLEANUP_INTERVAL_MS = 60 * MINUTE_MS;
/** Per process. */
const MAX_CONCURRENT = 4;
const RETENTION_MS = 30 * 24 * 60 * MINUTE_MS;

interface DueEmail {
  id: string;
  workspace_id: string | null;
  recipient: string;
  subject: string;
  body: string;
  attachment: Attachment | null;
  attempts: number;
}

export interface OutboxOptions {
  sql: Sql;
  clock: Clock;
  log: Logger;
  send: MailTransport;
  /** Makes the file that an email names; it rejects when it should be tried again. Needed once an email names one. */
  attach?: (workspaceId: string, attachment: Attachment) => Promise<AttachedFile>;
  /** Called when an email of a workspace will not be tried again, for its log. */
  onFailed?: (email: FailedEmail) => void;
}

export interface FailedEmail {
  workspace_id: string;
  email_id: string;
  attempts: number;
  /** The receiving server rejected it; else it was unreachable for a day. */
  rejected: boolean;
}

/**
 * Sends what `queueEmail` wrote, in every process that runs it, a few at once: one that the mail server is slow to take, or whose
 * file is slow to make, delays no other. An email whose sender died is sent by the next one: it may arrive twice (under the same
 * Message-ID) but is never lost. Stopping waits for the emails being sent.
 */
export function startOutbox({ sql, clock, log, send, attach, onFailed: onGivenUp }: OutboxOptions): PollingJob {
  const worker = startLeaseWorker<DueEmail>({
    ...{ name: 'outbox', intervalMs: POLL_INTERVAL_MS, clock, log, maxConcurrent: MAX_CONCURRENT },
    openWork: { sql, query: 'select from mail_outbox where sent_at is null and failed_at is null' },
    async lease(limit) {
      const jobs = await leaseDue(sql, limit, clock.wall());
      return { jobs, more: jobs.length === limit };
    },
    async work(email) {
      await deliver(email);
      return true;
    },
    release: async () => {},
    graceMs: 0,
    fieldsOf: ({ id }) => ({ email_id: id }),
  });
  const cleanup = startPollingJob({
    ...{ name: 'old emails', intervalMs: CLEANUP_INTERVAL_MS, clock, log },
    run: () => deleteOldEmails(sql, clock.wall()),
  });
  return {
    wake: worker.wake,
    async stop() {
      await Promise.all([worker.stop(), cleanup.stop()]);
    },
  };

  async function deliver(email: DueEmail): Promise<void> {
    const { id, recipient, subject, body, attachment, workspace_id } = email;
    try {
      const file = attachment && workspace_id && attach ? await attach(workspace_id, attachment) : null;
      await send({ id, to: recipient, subject, text: body, ...(file ? { files: [file] } : {}) });
    } catch (error) {
      await failed(email, error);
      return;
    }
    await sql`update mail_outbox set sent_at = ${new Date(clock.wall())}, body = '', last_error = '' where id = ${id}`;
  }

  async function failed({ id, attempts, workspace_id }: DueEmail, error: unknown): Promise<void> {
    const refused = error instanceof RejectedEmail;
    const pauseMs = refused ? undefined : RETRY_DELAYS_MS[attempts - 1];
    const now = clock.wall();
    const text = errorText(error).slice(0, 500);
    const facts = { email_id: id, attempts, error: text };
    if (pauseMs === undefined) {
      log.error(facts, 'email could not be sent; given up');
      await sql`update mail_outbox set failed_at = ${new Date(now)}, body = '', last_error = ${text} where id = ${id}`;
      if (workspace_id !== null) onGivenUp?.({ workspace_id, email_id: id, attempts, rejected: refused });
      return;
    }
    log.warn(facts, 'email could not be sent; retrying later');
    const next = new Date(now + pauseMs);
    await sql`update mail_outbox set next_attempt_at = ${next}, last_error = ${text} where id = ${id}`;
  }
}

/** Leases the emails that have been due for longest. */
async function leaseDue(sql: Sql, limit: number, nowMs: number): Promise<DueEmail[]> {
  return sql<DueEmail[]>`
    update mail_outbox set attempts = attempts + 1, next_attempt_at = ${new Date(nowMs + LEASE_MS)}
    where id in (
      select id from mail_outbox
      where sent_at is null and failed_at is null and next_attempt_at <= ${new Date(nowMs)}
      order by next_attempt_at limit ${limit} for update skip locked
    )
    returning id, workspace_id, recipient, subject, body, attachment, attempts`;
}

async function deleteOldEmails(sql: Sql, nowMs: number): Promise<void> {
  await sql`
    delete from mail_outbox
    where created_at < ${new Date(nowMs - RETENTION_MS)} and (sent_at is not null or failed_at is not null)`;
}

/** Counts the emails to be sent, now or again later, up to `max`. */
export async function countWaitingEmails(
  sql: AnySql,
  max: number,
): Promise<{ waiting: number; oldest_at: Date | null }> {
  const [row] = await sql<{ waiting: number; oldest_at: Date | null }[]>`
    select count(*)::integer as waiting, min(created_at) as oldest_at from (
      select created_at from mail_outbox where sent_at is null and failed_at is null order by next_attempt_at limit ${max}
    ) as l`;
  return row!;
}
