import type { z } from 'zod';
import type { Transaction } from '../db/connect.ts';
import type { authResult } from './open-session.ts';
import { findUser, workspacesOfUser } from './store.ts';

/** What signing in would answer now, for a session that goes on: its token stays the one that was given. */
export async function continueSession(
  tx: Transaction,
  sessionId: string,
  userId: string,
): Promise<z.output<typeof authResult>> {
  const user = await findUser(tx, userId);
  const [session] = await tx<{ expires_at: Date }[]>`
    select expires_at from sessions where id = ${sessionId} and user_id = ${userId}`;
  if (!user || !session) throw new Error('a session goes on for a user who is gone');
  const { id, name, email } = user;
  return {
    user: { id, name, email, two_factor: user.two_factor_enabled_at !== null },
    workspaces: await workspacesOfUser(tx, userId),
    expires_at: session.expires_at,
  };
}
