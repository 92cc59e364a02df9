import type { AuditAction } from '../../shared/audit-actions.ts';
import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { endNumberKeys, listNumberKeys, newNumberKey } from '../carriers/number-callback-keys.ts';
import type { Transaction } from '../db/connect.ts';
import { type Command, day, OPERATOR, type OperatorDeps, OperatorError } from './command.ts';
import { tableOf } from './table.ts';

/** Keys of single numbers at Exotel, which signs nothing (`number-callback-keys.ts`). */

/** @returns the end of the addresses, after PUBLIC_API_URL. */
export async function makeCallbackKey(deps: OperatorDeps, number: string) {
  return deps.sql.begin(async (tx) => {
    const workspace_id = await lockNumber(tx, number);
    const key = await newNumberKey(tx, number, deps.wallMs);
    await writeNumberAudit(tx, deps, { workspace_id, number, action: 'number.callback_key_made' });
    const addressOf = (kind: string) => `/carriers/exotel/${kind}?key=${key}`;
    return { number, inbound: addressOf('inbound'), status: addressOf('status') };
  });
}

export async function endCallbackKeys(deps: OperatorDeps, number: string) {
  return deps.sql.begin(async (tx) => {
    const workspace_id = await lockNumber(tx, number);
    const ended = await endNumberKeys(tx, number);
    if (ended === 0) throw new OperatorError('the number has no key of its own');
    await writeNumberAudit(tx, deps, { workspace_id, number, action: 'number.callback_keys_ended' });
    return { number, ended };
  });
}

/** Locks the number, so that of two new keys the second ends the first. @returns its workspace. */
async function lockNumber(tx: Transaction, number: string): Promise<string> {
  const [row] = await tx<{ workspace_id: string; provider: string }[]>`
    select workspace_id, provider from numbers where number = ${number} for update`;
  if (!row) throw new OperatorError('the service has no such number');
  if (row.provider !== 'exotel') throw new OperatorError(`callbacks of ${row.provider} need no key`);
  return row.workspace_id;
}

async function writeNumberAudit(
  tx: Transaction,
  { wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  { workspace_id, number, action }: { workspace_id: string; number: string; action: AuditAction },
): Promise<void> {
  // Phone numbers do not belong in the audit trail.
  const target = { kind: 'number', id: maskNumber(number), name: maskNumber(number) };
  await writeAudit(tx, { workspace_id, actor: by, action, target, data: {}, at_ms });
}

export const CALLBACK_KEY_COMMANDS: readonly Command[] = [
  {
    name: 'callback-key new',
    usage: 'NUMBER',
    description:
      'give a number of Exotel a key of its own, for the addresses in its flow; the one before ends in 24 hours',
    example: 'callback-key new +911140000001',
    positionals: 1,
    async run(deps, [number = '']) {
      const result = await makeCallbackKey(deps, number);
      const lines = ['set in the flow of the number, after PUBLIC_API_URL:', result.inbound, result.status];
      return { result, lines: [...lines, 'the key is not shown again'] };
    },
  },
  {
    name: 'callback-key list',
    reads: true,
    usage: '',
    description: 'list the numbers that have keys of their own',
    example: 'callback-key list',
    positionals: 0,
    async run({ sql, wallMs }) {
      const keys = await listNumberKeys(sql, wallMs);
      const lines = tableOf(keys, 'no number has a key of its own', {
        number: ({ number }) => number,
        made: ({ created_at }) => day(created_at),
        ends: ({ expires_at }) => day(expires_at),
      });
      return { result: keys, lines };
    },
  },
  {
    name: 'callback-key end',
    usage: 'NUMBER',
    description: "end all keys of a number, whose callbacks then need the service's own again",
    example: 'callback-key end +911140000001',
    positionals: 1,
    async run(deps, [number = '']) {
      const result = await endCallbackKeys(deps, number);
      return { result, lines: [`ended ${result.ended} keys`] };
    },
  },
];
