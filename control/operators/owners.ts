import { z } from 'zod';
import { systemClock } from '../../shared/clock.ts';
import { port, readEnv } from '../../shared/env.ts';
import { emailField } from '../accounts/account-fields.ts';
import { removeSecondFactors } from '../accounts/two-factor.ts';
import { HttpError } from '../http/errors.ts';
import { consoleUrlOf } from '../workspaces/console-url.ts';
import { createInvites } from '../workspaces/invites.ts';
import { makeOwner } from '../workspaces/make-owner.ts';
import {
  type Command,
  checkWorkspace,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  throwIfRefused,
  writeServiceEvent,
} from './command.ts';

/** The settings from which control builds its links. */
const CONSOLE_URL_SETTINGS = z.object({
  CONSOLE_ORIGINS: z.string().default(''),
  PUBLIC_API_URL: z.string().default(''),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(7080),
});

export interface OwnerMade {
  workspace_id: string;
  email: string;
  /** Null when an invite was sent instead. */
  user_id: string | null;
  /** The invite's link; works once, for 7 days. */
  link: string | null;
}

/**
 * Gives a workspace an owner: at once when the (confirmed) email address has an account, otherwise by an invite. A second
 * invite for the same address replaces the first.
 */
export async function makeWorkspaceOwner(
  deps: OperatorDeps,
  workspace_id: string,
  address: string,
): Promise<OwnerMade> {
  const { sql, wallMs: at_ms, by = OPERATOR } = deps;
  await checkWorkspace(sql, workspace_id);
  const checked = emailField().safeParse(address);
  if (!checked.success) throw new OperatorError('an email address is needed, like asha@example.com');
  const email = checked.data;
  try {
    const owner = await sql.begin((tx) => makeOwner(tx, { workspace_id, email, actor: by, at_ms }));
    if (owner) return { workspace_id, email, user_id: owner.user_id, link: null };
    const invites = createInvites({ sql, clock: systemClock, consoleUrl: consoleUrlOf(readEnv(CONSOLE_URL_SETTINGS)) });
    const { link } = await invites.create(workspace_id, by, { email, role: 'admin', as_owner: true });
    return { workspace_id, email, user_id: null, link };
  } catch (error) {
    if (error instanceof HttpError) throw new OperatorError(error.message);
    throw error;
  }
}

/** Lets a person sign in with the password alone again, after the operator made sure who they are. */
async function recoverAccount({ sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps, address: string) {
  const email = address.trim().toLowerCase();
  return sql.begin(async (tx) => {
    const result = await removeSecondFactors(tx, { email, actor: by, at_ms });
    throwIfRefused(result);
    const target = { kind: 'user', id: result.user_id, name: '' };
    await writeServiceEvent(tx, { by, action: 'account.recovered', target, before: {}, now: {}, at_ms });
    return result;
  });
}

export const OWNER_COMMANDS: readonly Command[] = [
  {
    name: 'account recover',
    usage: 'EMAIL',
    description:
      'switch two-step sign-in off for a person who lost every second factor, once you know it is them; ends their sessions and emails them',
    example: 'account recover asha@example.com',
    positionals: 1,
    async run(deps, [email = '']) {
      const result = await recoverAccount(deps, email);
      return { result, lines: ['two-step sign-in is off: the password is enough'] };
    },
  },
  {
    name: 'workspace owner',
    usage: 'WORKSPACE EMAIL',
    description: 'make a user an owner; without an account an invite is emailed, and its link is shown once',
    example: 'workspace owner WORKSPACE asha@example.com',
    positionals: 2,
    async run(deps, [workspace = '', email = '']) {
      const result = await makeWorkspaceOwner(deps, workspace, email);
      const invited = [
        `link       ${result.link}`,
        `It is for ${result.email}, works once, and for 7 days. It was also emailed, where SMTP_URL is set.`,
      ];
      return { result, lines: result.link === null ? [`${result.email} is an owner`] : invited };
    },
  },
];
