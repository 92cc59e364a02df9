import { newId } from '../../shared/ids.ts';
import type { AnySql } from '../db/connect.ts';

/** Plain text; mail programs of every kind show it, and nothing in it can be loaded from elsewhere. */
export interface Email {
  to: string;
  subject: string;
  text: string;
  /** Whose matter it is; left out for a person's own. */
  workspace_id?: string;
}

/** Writes a letter in the transaction of what it tells; the outbox sends it after that has happened, also after a restart. */
export async function queueEmail(tx: AnySql, letter: Email, atMs: number): Promise<void> {
  const at = new Date(atMs);
  await tx`
    insert into mail_outbox (id, workspace_id, recipient, subject, body, created_at, next_attempt_at)
    values (
      ${newId(atMs)}, ${letter.workspace_id ?? null}, ${letter.to}, ${oneLine(letter.subject)}, ${letter.text}, ${at}, ${at}
    )`;
}

/** A name that somebody chose may stand in a subject; it cannot become a header of its own. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 200);
