import { newSecret } from './data-folder.ts';
import { asOperator } from './first-workspace.ts';
import type { Stack } from './stack.ts';

export interface FirstUser {
  email: string;
  password: string;
}

/** Returns the owner of the first workspace, who can sign in to the console. The home folder stores the password (mode 0600). */
export async function firstUser(stack: Stack, workspaceId: string): Promise<FirstUser> {
  const stored = await stack.home.readOrCreate('first-user.json', async () => {
    // Stored before the sign-up, so that a start that was interrupted here finds the user's password.
    const password = await stack.home.readOrCreate('first-user-password', async () => newSecret().slice(0, 20));
    const user = { email: 'owner@example.com', password };
    const response = await fetch(`${stack.apiUrl}/api/v1/auth/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...user, name: 'Owner' }),
      signal: AbortSignal.timeout(30_000),
    });
    const responseText = await response.text();
    if (!response.ok && response.status !== 409) {
      throw new Error(`the first user could not be created: ${response.status} ${responseText}`);
    }
    // A sign-up creates a workspace that waits for KYC; this user owns the first workspace instead. Nobody reads the emails to
    // the address, so it is confirmed here: calls need that.
    await asOperator(
      stack,
      (sql) => sql`
        with owner as (
          update users set email_verified_at = now() where email = ${user.email} and deleted_at is null returning id
        )
        update memberships set workspace_id = ${workspaceId} where user_id in (select id from owner)`,
    );
    return JSON.stringify(user);
  });
  return JSON.parse(stored);
}
