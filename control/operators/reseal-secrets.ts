import type { Sql } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';

/** Looks at every sealed secret of the database, and seals them again for the newest key, while the service runs. */

const BATCH_ROWS = 200;
export const NOT_SEALED = 'none';

export interface SealedCount {
  table: string;
  column: string;
  /** Null: no configured key opens it. `NOT_SEALED`: earlier versions stored it as it is. */
  key_id: string | null;
  secrets: number;
}

export interface Resealed {
  resealed: number;
  /** Neither opened nor changed. */
  unreadable: number;
}

/** Counts the secrets by their place and key. */
export async function countSealed(sql: Sql, box: SecretBox): Promise<SealedCount[]> {
  const counts: SealedCount[] = [];
  for (const column of SEALED_COLUMNS) {
    const byKey = new Map<string | null, number>();
    for await (const rows of batchesOf(sql, column)) {
      for (const { key, text } of rows) {
        column.replace(text, key, (secret, owner) => {
          const id = 'clear' in secret ? NOT_SEALED : box.open(secret, owner) === null ? null : box.keyIdOf(secret);
          byKey.set(id, (byKey.get(id) ?? 0) + 1);
          return null;
        });
      }
    }
    for (const [key_id, secrets] of byKey) {
      counts.push({ table: column.table, column: column.column, key_id, secrets });
    }
  }
  return counts;
}

/**
 * Seals again what is not sealed for the newest key in the present format. A value that is changed meanwhile is left: the
 * change sealed it anew. When it broke off, the next run goes on: what was resealed is skipped.
 */
export async function resealSecrets(sql: Sql, box: SecretBox, onProgress: (line: string) => void): Promise<Resealed> {
  const total = { resealed: 0, unreadable: 0 };
  for (const column of SEALED_COLUMNS) {
    let done = 0;
    for await (const rows of batchesOf(sql, column)) {
      for (const row of rows) {
        let secrets = 0;
        const text = column.replace(row.text, row.key, (secret, owner) => {
          if (!('clear' in secret) && box.isCurrent(secret)) return null;
          const changed = 'clear' in secret ? box.seal(secret.clear, owner) : box.reseal(secret, owner);
          if (changed === null) total.unreadable++;
          else secrets++;
          return changed;
        });
        if (secrets > 0 && (await replaceText(sql, column, row, text))) done += secrets;
      }
    }
    total.resealed += done;
    if (done > 0) onProgress(`${column.table}.${column.column}: ${done} secrets resealed`);
  }
  return total;
}

interface Row {
  key: string[];
  text: string;
}

/** The rows with a value, in the order of their keys. */
async function* batchesOf(sql: Sql, { table, column, key, asText }: SealedColumn): AsyncGenerator<Row[]> {
  const keys = key.join(', ');
  const texts = key.map((name) => `${name}::text`).join(', ');
  for (let last: string[] | null = null; ; ) {
    const after = last === null ? '' : `and (${keys}) > (${last.map((_, index) => `$${index + 1}`).join(', ')})`;
    const rows: Row[] = await sql.unsafe<Row[]>(
      `select array[${texts}] as key, ${asText} as text from ${table}
       where ${column} is not null ${after} order by ${keys} limit ${BATCH_ROWS}`,
      last ?? [],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_ROWS) return;
    last = rows.at(-1)!.key;
  }
}

/** False when the value is another one by now. */
async function replaceText(sql: Sql, { table, column, key, fromText }: SealedColumn, row: Row, text: string) {
  const isRow = key.map((name, index) => `${name} = $${index + 3}`).join(' and ');
  const { count } = await sql.unsafe(
    `update ${table} set ${column} = ${fromText('$1::text')} where ${isRow} and ${column} = ${fromText('$2::text')}`,
    [text, row.text, ...row.key],
  );
  return count > 0;
}
