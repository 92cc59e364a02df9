import type { Transaction } from '../db/connect.ts';
import { type Attachment, queueEmail } from '../mail/queue-email.ts';

/** A notice about a decision of the service's team, or about money. */
export interface WorkspaceNotice {
  workspace_id: string;
  /** Without text of others: that belongs in `text`. */
  subject: string;
  /** Sentences; greeting and signature are added. A function gets how the workspace writes a time. */
  text: string | ((timeText: (at: Date) => string) => string);
  /** Left out: the alert addresses, or else the owner. */
  to?: 'owner';
  attachment?: Attachment;
  at_ms: number;
}

/**
 * Emails the workspace's alert addresses, or else its longest-standing owner, in the transaction of what it is about. Each
 * address gets an email of its own, so that nobody sees the others. A workspace without members gets none.
 */
export async function notifyWorkspace(
  tx: Transaction,
  { workspace_id, subject, text, to, attachment, at_ms }: WorkspaceNotice,
): Promise<void> {
  const [workspace] = await tx<{ name: string; timezone: string; to: string[] }[]>`
    select w.name, w.timezone, case when w.alert_emails <> '{}' and ${to ?? ''} <> 'owner' then w.alert_emails else array(
      select u.email from memberships m join users u on u.id = m.user_id
      where m.workspace_id = w.id and m.role = 'owner' and u.email <> '' order by m.joined_at, m.user_id limit 1
    ) end as "to"
    from workspaces w where w.id = ${workspace_id} and w.state <> 'closed'`;
  if (!workspace) return;
  const { name, timezone } = workspace;
  const sentences = typeof text === 'string' ? text : text((at) => timeTextIn(timezone, at));
  const words = `Hello,\n\nThis is about the workspace "${name.replace(/\s+/g, ' ')}".\n\n${sentences}\n\nVoice Agent Service`;
  for (const address of workspace.to) {
    await queueEmail(
      tx,
      { to: address, subject, text: words, workspace_id, ...(attachment ? { attachment } : {}) },
      at_ms,
    );
  }
}

/** `30 November 2026 at 15:30 (Asia/Kolkata)` */
export const timeTextIn = (timeZone: string, at: Date): string =>
  `${at.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone })} (${timeZone})`;

/** Quotes the team's text below an introduction; empty when there is none. */
export const quoted = (introduction: string, words: string): string =>
  words.trim() === '' ? '' : `\n\n${introduction}\n\n${words.trim()}`;
