import { newId } from '../../shared/ids.ts';
import { hashOfToken, newToken } from '../accounts/secret-token.ts';
import {
  type Command,
  checkedText,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  type Options,
  wholeNumber,
  writeServiceEvent,
} from './command.ts';
import {
  insertPerson,
  listPeople,
  lockPeople,
  type OperatorPerson,
  type OperatorRole,
  replaceKey,
  revokeKey,
  somebodyMayChange,
} from './people-store.ts';
import { tableOf } from './table.ts';

/** The people who run these commands, and their keys. */

const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 180;
const MAX_DAYS = 366;

const targetOf = ({ id, name }: OperatorPerson) => ({ kind: 'operator', id, name });

/** Adds a person. @returns their key, which is shown once. */
export async function addPerson(deps: OperatorDeps, given: string, options: Options) {
  const { sql, wallMs: at_ms, by = OPERATOR } = deps;
  const name = checkedText('a name', given.trim(), 80);
  const role = roleOf(options.role);
  const key = newToken('svcp_');
  return sql.begin(async (tx) => {
    await lockPeople(tx);
    if (role === 'read' && !(await somebodyMayChange(tx, new Date(at_ms)))) {
      throw new OperatorError('the first person has the role change, or nobody could add others');
    }
    const person: OperatorPerson = {
      ...{ id: newId(at_ms), name, role, created_at: new Date(at_ms), created_by: by.name },
      ...{ expires_at: endOf(at_ms, options.days), last_used_at: null, revoked_at: null },
    };
    if (!(await insertPerson(tx, person, hashOfToken(key)))) {
      throw new OperatorError(`there is somebody called ${name}: choose another name, or \`people renew\` their key`);
    }
    const now = { role, expires_at: person.expires_at };
    await writeServiceEvent(tx, { by, action: 'operator.added', target: targetOf(person), before: {}, now, at_ms });
    return { id: person.id, name, role, expires_at: person.expires_at, key };
  });
}

/** Gives a person another key; the present one stops working. */
export async function renewKey(deps: OperatorDeps, name: string, options: Options) {
  const { sql, wallMs: at_ms, by = OPERATOR } = deps;
  const key = newToken('svcp_');
  return sql.begin(async (tx) => {
    const person = await replaceKey(tx, name, hashOfToken(key), endOf(at_ms, options.days));
    if (!person) throw nobody(name);
    const { id, role, expires_at } = person;
    const target = targetOf(person);
    await writeServiceEvent(tx, { by, action: 'operator.renewed', target, before: {}, now: { expires_at }, at_ms });
    return { id, name: person.name, role, expires_at, key };
  });
}

/** Ends a person's key, at once. */
export async function revokePerson(deps: OperatorDeps, name: string) {
  const { sql, wallMs: at_ms, by = OPERATOR } = deps;
  return sql.begin(async (tx) => {
    const person = await revokeKey(tx, name, new Date(at_ms));
    if (!person) throw nobody(name);
    const target = targetOf(person);
    await writeServiceEvent(tx, { by, action: 'operator.revoked', target, before: {}, now: {}, at_ms });
    return { id: person.id, name: person.name };
  });
}

const nobody = (name: string) => new OperatorError(`nobody is called ${name}: \`people list\` shows everybody`);

function roleOf(text = 'change'): OperatorRole {
  if (text !== 'read' && text !== 'change') throw new OperatorError('--role is read or change');
  return text;
}

function endOf(nowMs: number, text: string | undefined): Date {
  const days = wholeNumber('--days', text) ?? DEFAULT_DAYS;
  if (days < 1 || days > MAX_DAYS) throw new OperatorError(`--days is 1 to ${MAX_DAYS}`);
  return new Date(nowMs + days * DAY_MS);
}

function stateOf({ revoked_at, expires_at }: OperatorPerson, nowMs: number): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at.getTime() <= nowMs ? 'over' : 'works';
}

const keyLines = ({ name, role, expires_at, key }: Awaited<ReturnType<typeof addPerson>>) => [
  `key        ${key}`,
  `It is ${name}'s (${role}), works until ${day(expires_at)} UTC, and is not shown again. Commands take it from OPERATOR_KEY, or from`,
  '~/.config/antiphon/operator-key, a file that only its owner may read.',
];

export const PEOPLE_COMMANDS: readonly Command[] = [
  {
    name: 'people list',
    reads: true,
    usage: '',
    description: 'list who has a key for these commands',
    example: 'people list',
    positionals: 0,
    async run({ sql, wallMs }) {
      const rows = await listPeople(sql);
      const lines = tableOf(rows, 'nobody yet: commands run without a key', {
        name: ({ name }) => name,
        role: ({ role }) => role,
        key: (person) => stateOf(person, wallMs),
        until: ({ expires_at }) => day(expires_at),
        'last used': ({ last_used_at }) => day(last_used_at),
        'added by': ({ created_by }) => created_by,
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'people add',
    usage: 'NAME [--role read|change] [--days N] [--first]',
    description:
      `add a person with a key of their own, shown once; after the first one every command asks for a key. It ends after ` +
      `${DEFAULT_DAYS} days or --days; --first: where no key works any more`,
    example: "people add 'Asha Rao' --days 90",
    positionals: 1,
    options: ['role', 'days', 'first'],
    async run(deps, [name = ''], options) {
      const result = await addPerson(deps, name, options);
      return { result, lines: keyLines(result) };
    },
  },
  {
    name: 'people renew',
    usage: 'NAME [--days N]',
    description: 'give a person another key, shown once; the present one stops working at once',
    example: "people renew 'Asha Rao'",
    positionals: 1,
    options: ['days'],
    async run(deps, [name = ''], options) {
      const result = await renewKey(deps, name, options);
      return { result, lines: keyLines(result) };
    },
  },
  {
    name: 'people revoke',
    usage: 'NAME',
    description: "end a person's key at once",
    example: "people revoke 'Asha Rao'",
    positionals: 1,
    async run(deps, [name = '']) {
      const result = await revokePerson(deps, name);
      return { result, lines: [`${result.name}'s key does not work any more`] };
    },
  },
];
