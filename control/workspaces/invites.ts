import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound } from '../http/errors.ts';
import { type Email, queueEmail } from '../mail/queue-email.ts';
import {
  countInvitesSince,
  type FoundInvite,
  findByToken,
  findOpenInvite,
  type InvitedRole,
  type InviteRow,
  insertInvite,
  isMember,
  listOpenInvites,
  revokeInvite,
  roleGrantedBy,
} from './invites-store.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { countSeats, refuseWhenFull } from './plan.ts';
import { findWorkspace } from './store.ts';

export const INVITE_TTL_MS = 7 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Anybody can sign up and invite: without a limit this would send emails to strangers. */
const MAX_PER_DAY = 200;

export interface InvitesDeps {
  sql: Sql;
  clock: Clock;
  /** URL of the console: links lead there. */
  consoleUrl: string;
}

export interface InviteView extends InviteRow {
  status: 'pending' | 'expired';
}

export const hashOfInvite = (token: string): Buffer => createHash('sha256').update(token).digest();

/** `a***@example.com`: enough to recognise one's own address, too little to learn another one. */
export const maskedEmail = (email: string): string => `${email.slice(0, 1)}***${email.slice(email.lastIndexOf('@'))}`;

/** Manages invites to workspaces; how they are accepted is in `accept-invite.ts`. */
export function createInvites({ sql, clock, consoleUrl }: InvitesDeps) {
  const shown = (invite: InviteRow): InviteView => ({
    ...invite,
    status: invite.expires_at.getTime() > clock.wall() ? 'pending' : 'expired',
  });

  return {
    /** Invites that were neither accepted nor revoked, newest first. */
    async list(workspaceId: string): Promise<InviteView[]> {
      return (await listOpenInvites(sql, workspaceId)).map(shown);
    },

    /**
     * @param as_owner for the service's team: the invited will be an owner, whatever `role` shows, and an existing invite of
     *   the address is revoked.
     * @throws HttpError 409 already a member, already invited, or no seat left in the plan; 429 too many in a day.
     */
    async create(
      workspaceId: string,
      actor: Actor,
      { email, role, as_owner = false }: { email: string; role: InvitedRole; as_owner?: boolean },
    ): Promise<InviteView & { link: string }> {
      return sql.begin(async (tx) => {
        await lockWorkspace(tx, workspaceId);
        const at_ms = clock.wall();
        const created_at = new Date(at_ms);
        if (await isMember(tx, workspaceId, email)) throw conflict('already a member');
        const before = await findOpenInvite(tx, workspaceId, email);
        if (before && before.expires_at.getTime() > at_ms && !as_owner) throw conflict('already invited');
        // An expired invite is replaced and takes no seat.
        if (before) await revokeInvite(tx, workspaceId, before.id, created_at);
        await checkSeats(tx, workspaceId, created_at);
        if ((await countInvitesSince(tx, workspaceId, new Date(at_ms - DAY_MS))) >= MAX_PER_DAY) {
          throw new HttpError(429, 'too many invites; try again later', { headers: { 'Retry-After': '3600' } });
        }

        const token = randomBytes(16).toString('hex');
        const invite: InviteRow = {
          workspace_id: workspaceId,
          id: newId(at_ms),
          email,
          role,
          as_owner,
          invited_by: actor.name,
          created_at,
          expires_at: new Date(at_ms + INVITE_TTL_MS),
        };
        await insertInvite(tx, invite, hashOfInvite(token));
        const link = `${consoleUrl.replace(/\/+$/, '')}/invites/${token}`;
        const workspace = (await findWorkspace(tx, workspaceId))!;
        await queueEmail(tx, inviteEmail(invite, workspace.name, link), at_ms);
        const target = { kind: 'invite', id: invite.id, name: email };
        await writeAudit(tx, {
          workspace_id: workspaceId,
          actor,
          action: 'invite.created',
          target,
          data: { role: roleGrantedBy(invite) },
          at_ms,
        });
        return { ...shown(invite), link };
      });
    },

    /** @throws HttpError 404 invite. */
    async revoke(workspaceId: string, actor: Actor, inviteId: string): Promise<void> {
      await sql.begin(async (tx) => {
        await lockWorkspace(tx, workspaceId);
        const at_ms = clock.wall();
        const invite = await revokeInvite(tx, workspaceId, inviteId, new Date(at_ms));
        if (!invite) throw notFound('invite');
        const target = { kind: 'invite', id: invite.id, name: invite.email };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'invite.revoked', target, at_ms });
      });
    },

    /** Returns what the holder of the link sees. @throws HttpError 404 unknown, used, revoked or expired. */
    async findByToken(token: string): Promise<FoundInvite> {
      const invite = await findByToken(sql, hashOfInvite(token), new Date(clock.wall()));
      if (!invite) throw notFound('invite');
      return invite;
    },
  };
}

/** Refuses when members and pending invites fill the plan. The workspace is locked. */
async function checkSeats(tx: Transaction, workspaceId: string, now: Date): Promise<void> {
  const { members, invited } = await countSeats(tx, workspaceId, now);
  await refuseWhenFull(tx, workspaceId, members + invited);
}

/** Names are chosen by users: put on one line, they cannot forge the rest of the email. */
function inviteEmail(invite: InviteRow, workspaceName: string, link: string): Email {
  const { email, invited_by } = invite;
  const line = (text: string) => text.replace(/\s+/g, ' ').trim();
  const workspace = line(workspaceName);
  return {
    to: email,
    subject: `Invitation to ${workspace}`,
    text: [
      `${line(invited_by)} invites you to join the workspace "${workspace}" as ${roleGrantedBy(invite)}.`,
      '',
      `Accept within 7 days: ${link}`,
      '',
      'If you do not know them, ignore this email: nothing happens.',
      '',
    ].join('\n'),
  };
}
