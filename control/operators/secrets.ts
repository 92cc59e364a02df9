import type { SecretKeys } from '../db/secret-keys.ts';
import { type Command, OPERATOR, type OperatorDeps, OperatorError, writeServiceEvent } from './command.ts';
import { countSealed, NOT_SEALED, resealSecrets, type SealedCount } from './reseal-secrets.ts';
import { tableOf } from './table.ts';

/** The keys that secrets of the database are sealed with. */

/** Counts the secrets by their place and key, with the name of the key. */
export async function sealedSecrets({ sql, secretKeys }: OperatorDeps) {
  const keys = await requiredKeys(secretKeys);
  const counts = await countSealed(sql, keys.box);
  return counts.map((count) => ({ ...count, key: nameOf(count.key_id, keys) }));
}

/** Seals every secret again for the newest key, and returns what was done and where the secrets are now. */
export async function resealAll(deps: OperatorDeps) {
  const { sql, secretKeys, wallMs: at_ms, onProgress = () => {}, by = OPERATOR } = deps;
  const { box, configured } = await requiredKeys(secretKeys);
  if (!configured) throw new OperatorError('SECRETS_KEY is empty: set it to the keys of control, the newest first');
  const done = await resealSecrets(sql, box, onProgress);
  const key_id = box.keyIds[0]!;
  const target = { kind: 'key', id: key_id, name: 'SECRETS_KEY' };
  await sql.begin((tx) =>
    writeServiceEvent(tx, { by, action: 'secrets.resealed', target, before: {}, now: done, at_ms }),
  );
  return { ...done, key_id, secrets: await sealedSecrets(deps) };
}

function nameOf(keyId: string | null, keys: SecretKeys): string {
  if (keyId === null) return 'no configured key';
  return keyId === NOT_SEALED ? 'not sealed' : keys.nameOf(keyId);
}

async function requiredKeys(secretKeys: OperatorDeps['secretKeys']) {
  if (!secretKeys) throw new OperatorError('the keys of sealed secrets are not known here');
  return secretKeys();
}

const tableOfSecrets = (counts: readonly (SealedCount & { key: string })[]) =>
  tableOf(counts, 'no sealed secrets', {
    where: ({ table, column }) => `${table}.${column}`,
    'key id': ({ key_id }) => key_id ?? '',
    key: ({ key }) => key,
    secrets: ({ secrets }) => secrets,
  });

export const SECRET_COMMANDS: readonly Command[] = [
  {
    name: 'secrets status',
    reads: true,
    usage: '',
    description: 'show how many secrets of the database each key holds: one that holds none may be removed',
    example: 'secrets status',
    positionals: 0,
    async run(deps) {
      const result = await sealedSecrets(deps);
      return { result, lines: tableOfSecrets(result) };
    },
  },
  {
    name: 'secrets reseal',
    usage: '',
    description:
      'seal every secret again for the newest key of SECRETS_KEY, while the service runs; one that broke off is started again',
    example: 'secrets reseal',
    positionals: 0,
    async run(deps) {
      const result = await resealAll(deps);
      const { resealed, unreadable } = result;
      const left = unreadable === 0 ? [] : [`${unreadable} secrets are left, which no configured key opens`];
      const lines = [`${resealed} secrets resealed`, ...left, '', ...tableOfSecrets(result.secrets)];
      return { result, lines, failed: unreadable > 0 };
    },
  },
];
