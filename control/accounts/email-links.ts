import type { AnySql, Transaction } from '../db/connect.ts';
import { hashOfToken, looksLikeToken, newToken } from './secret-token.ts';

/** Links in emails. Each works once; a newer one of the same purpose replaces the older ones. */

const HOUR_MS = 3_600_000;
export type LinkPurpose = 'reset_password' | 'verify_email' | 'change_email';
const LINK_TTL_MS: Record<LinkPurpose, number> = {
  reset_password: HOUR_MS,
  verify_email: 24 * HOUR_MS,
  change_email: 24 * HOUR_MS,
};

export interface EmailLink {
  user_id: string;
  purpose: LinkPurpose;
  email: string;
}

/** @returns the token for the link. */
export async function createLink(tx: AnySql, link: EmailLink, nowMs: number): Promise<string> {
  const { user_id, purpose, email } = link;
  const token = newToken('');
  await deleteLinks(tx, user_id, purpose);
  await tx`
    insert into email_links (token_hash, user_id, purpose, email, created_at, expires_at)
    values (${hashOfToken(token)}, ${user_id}, ${purpose}, ${email}, ${new Date(nowMs)},
      ${new Date(nowMs + LINK_TTL_MS[purpose])})`;
  return token;
}

export async function deleteLinks(tx: AnySql, userId: string, purpose: LinkPurpose): Promise<void> {
  await tx`delete from email_links where user_id = ${userId} and purpose = ${purpose}`;
}

/** Forgets the new address that waits for its link: a new password ends what somebody else may have asked for. */
export async function withdrawEmailChange(tx: AnySql, userId: string): Promise<void> {
  await tx`update users set pending_email = '' where id = ${userId}`;
  await deleteLinks(tx, userId, 'change_email');
}

/** Returns what the link is for, without consuming it. */
export async function findLink(sql: AnySql, token: string, nowMs: number): Promise<EmailLink | null> {
  if (!looksLikeToken('', token)) return null;
  const [row] = await sql<EmailLink[]>`
    select l.user_id, l.purpose, l.email from email_links l join users u on u.id = l.user_id and u.deleted_at is null
    where l.token_hash = ${hashOfToken(token)} and l.expires_at > ${new Date(nowMs)}`;
  return row ?? null;
}

/** Consumes the link; of two requests at the same moment one succeeds. */
export async function consumeLink(tx: Transaction, token: string, nowMs: number): Promise<EmailLink | null> {
  if (!looksLikeToken('', token)) return null;
  const [row] = await tx<EmailLink[]>`
    delete from email_links where token_hash = ${hashOfToken(token)} and expires_at > ${new Date(nowMs)}
    returning user_id, purpose, email`;
  return row ?? null;
}
