import { newId } from '../../shared/ids.ts';
import type { AnySql } from '../db/connect.ts';

/** Its text is sent as it is, and as HTML made of it (`email-html.ts`), which loads nothing from elsewhere. */
export interface Email {
  to: string;
  subject: string;
  text: string;
  /** The workspace it is about; left out for a user's own affairs. */
  workspace_id?: string;
  /** A file that is made when the email is sent. */
  attachment?: Attachment;
}

/** Names a file: an invoice or a credit note of the email's workspace. */
export interface Attachment {
  kind: 'invoice';
  id: string;
}

/** Queues an email in the transaction of what it is about; the outbox sends it after the commit. */
export async function queueEmail(tx: AnySql, email: Email, atMs: number): Promise<void> {
  const at = new Date(atMs);
  await tx`
    insert into mail_outbox (id, workspace_id, recipient, subject, body, attachment, created_at, next_attempt_at)
    values (
      ${newId(atMs)}, ${email.workspace_id ?? null}, ${email.to}, ${oneLine(email.subject)}, ${email.text},
      ${email.attachment ? tx.json({ ...email.attachment }) : null}, ${at}, ${at}
    )`;
}

/** Keeps a name that a client chose from adding a header of its own to the subject. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 200);
