import { readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { hashOfToken, looksLikeToken } from '../accounts/secret-token.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { type Command, OPERATOR, OperatorError, type Options } from './command.ts';
import { peopleExist, personOfKey, somebodyMayChange } from './people-store.ts';

/** Who runs a command: the person of the key, or the user of the machine while nobody has one. */

const KEY_FILE = join('.config', 'antiphon', 'operator-key');

/**
 * Returns the key in `OPERATOR_KEY`, or else in the home folder's file; empty when there is neither.
 * @throws OperatorError when others may read the file
 */
export function givenKey(env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
  const { OPERATOR_KEY = '' } = env;
  if (OPERATOR_KEY !== '') return OPERATOR_KEY.trim();
  const path = join(home, KEY_FILE);
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return '';
  if ((file.mode & 0o077) !== 0) throw new OperatorError(`others may read ${path}: chmod 600 it`);
  return readFileSync(path, 'utf8').trim();
}

export interface Runner {
  by: Actor;
  /** What the person should know before the command runs. */
  notice: string | null;
}

/**
 * Finds who runs this command, and whether they may.
 *
 * @param key as given; empty: none
 * @throws OperatorError once there are people: without a key, with one that does not work, or for a command beyond its role
 */
export async function whoRunsIt(
  sql: Sql,
  command: Pick<Command, 'name' | 'reads'>,
  { first = false }: Options,
  { key, nowMs, program, user = userName() }: { key: string; nowMs: number; program: string; user?: string },
): Promise<Runner> {
  const unnamed: Actor = { ...OPERATOR, name: `${OPERATOR.name} (${user})` };
  if (!(await peopleExist(sql))) {
    const notice = `nobody has a key yet: this runs as "${unnamed.name}"; \`${program} people add NAME\` makes the first`;
    return { by: unnamed, notice };
  }
  const now = new Date(nowMs);
  if (first) {
    if (await somebodyMayChange(sql, now)) throw new OperatorError('--first is for when no key of role change works');
    return { by: unnamed, notice: null };
  }
  if (key === '') {
    throw new OperatorError(
      `your key is missing: set OPERATOR_KEY, or write it to ~/${KEY_FILE}. Where nobody's key works any more: ` +
        `${program} people add NAME --first`,
    );
  }
  const person = looksLikeToken('svcp_', key) ? await personOfKey(sql, hashOfToken(key), now) : null;
  if (!person)
    throw new OperatorError('this key is not known here; somebody with one gives you another: people renew NAME');
  const { id, name, role, revoked_at, expires_at } = person;
  if (revoked_at !== null) throw new OperatorError(`${name}'s key was revoked`);
  if (expires_at <= now) {
    throw new OperatorError(`${name}'s key is over; somebody with one gives you another: people renew '${name}'`);
  }
  if (role === 'read' && !command.reads) {
    throw new OperatorError(`"${command.name}" needs a key of role change; ${name}'s only shows lists and states`);
  }
  return { by: { kind: 'service', id, name }, notice: null };
}

/** The user's name; a container's user may have none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? ''}`.trim();
  }
}
