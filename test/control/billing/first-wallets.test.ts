import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { walletOf } from '../../../control/billing/wallet.ts';
import { migrate } from '../../../control/db/migrate.ts';
import { newId } from '../../../shared/ids.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/** What happens to workspaces that were there before there was money. */

const all = fileURLToPath(new URL('../../../control/db/migrations/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-wallets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function take(which: (name: string) => boolean): void {
  for (const name of readdirSync(all)) if (which(name)) cpSync(join(all, name), join(folder, name));
}

it('gives every workspace a wallet with its grants', async () => {
  const { sql } = await createTestDatabase();
  await sql.unsafe('drop schema public cascade; create schema public');
  take((name) => name < '0017');
  await migrate(sql, pathToFileURL(`${folder}/`));
  const [rich, plain, closed] = [newId(), newId(), newId()];
  for (const [id, state] of [
    [rich, 'active'],
    [plain, 'onboarding'],
    [closed, 'closed'],
  ] as const) {
    await sql`insert into workspaces (id, name, state, created_at) values (${id}, 'Acme', ${state}, '2026-01-01')`;
  }
  const given = [
    ['grant', 500],
    ['adjustment', 100],
    ['adjustment', -26_000],
  ] as const;
  for (const [index, [kind, amount]] of given.entries()) {
    await sql`
      insert into grants (workspace_id, id, kind, amount_paise, currency, note, by_name, created_at)
      values (${rich}, ${newId(Date.now() + index)}, ${kind}, ${amount}::bigint, 'INR', 'n', 'operator', now())`;
  }
  take((name) => name.startsWith('0017'));
  await migrate(sql, pathToFileURL(`${folder}/`));
  expect(await walletOf(sql, rich)).toMatchObject({ free_paise: 0, paid_paise: -400, seq: 4 });
  expect(await walletOf(sql, plain)).toMatchObject({ free_paise: 25_000, paid_paise: 0, seq: 1 });
  expect(await walletOf(sql, closed)).toMatchObject({ free_paise: 0, seq: 0 });
  const rows = await sql`
    select kind, amount_paise, paid_paise, free_paise, balance_after_paise, note from ledger
    where workspace_id = ${rich} order by seq`;
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['grant', 25_000, 0, 25_000, 25_000, 'welcome credits'],
    ['grant', 500, 0, 500, 25_500, 'n'],
    ['adjustment', 100, 100, 0, 25_600, 'n'],
    ['adjustment', -26_000, -500, -25_500, -400, 'n'],
  ]);
});
