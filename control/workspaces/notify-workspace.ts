import type { Transaction } from '../db/connect.ts';
import { queueEmail } from '../mail/queue-email.ts';

/** What the service's team decided, as a letter. */
export interface WorkspaceNotice {
  workspace_id: string;
  /** Ours alone: what others wrote belongs into the text. */
  subject: string;
  /** Sentences; the greeting and the signature are added. */
  text: string;
  at_ms: number;
}

/**
 * Writes to the workspace's alert addresses, or else to its owner of longest standing, in the transaction of what is told. One letter
 * for each address, so that nobody reads the others'. A workspace without people, made at the command line, hears nothing.
 */
export async function notifyWorkspace(
  tx: Transaction,
  { workspace_id, subject, text, at_ms }: WorkspaceNotice,
): Promise<void> {
  const [workspace] = await tx<{ name: string; to: string[] }[]>`
    select w.name, case when w.alert_emails <> '{}' then w.alert_emails else array(
      select u.email from memberships m join users u on u.id = m.user_id
      where m.workspace_id = w.id and m.role = 'owner' and u.email <> '' order by m.joined_at, m.user_id limit 1
    ) end as "to"
    from workspaces w where w.id = ${workspace_id} and w.state <> 'closed'`;
  if (!workspace) return;
  const words = `Hello,\n\nthis is about the workspace "${workspace.name.replace(/\s+/g, ' ')}".\n\n${text}\n\nVoice Agent Service`;
  for (const to of workspace.to) await queueEmail(tx, { to, subject, text: words, workspace_id }, at_ms);
}

/** Words of the team below a sentence of ours; nothing where there are none. */
export const quoted = (introduction: string, words: string): string =>
  words.trim() === '' ? '' : `\n\n${introduction}\n\n${words.trim()}`;
