import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { migrate } from '../../../control/db/migrate.ts';
import { newId } from '../../../shared/ids.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/** What happens to workspaces that were there before fees were renewed. */

const all = fileURLToPath(new URL('../../../control/db/migrations/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-renewals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function take(which: (name: string) => boolean): void {
  for (const name of readdirSync(all)) if (which(name)) cpSync(join(all, name), join(folder, name));
}

it('begins a month without a charge of every paid plan, of lines and of caller ids', async () => {
  const { sql } = await createTestDatabase();
  await sql.unsafe('drop schema public cascade; create schema public');
  take((name) => name < '0037');
  await migrate(sql, pathToFileURL(`${folder}/`));
  const newWorkspace = async (plan: string, state: string, lines = 0) => {
    const id = newId();
    await sql`
      insert into workspaces (id, name, state, plan_id, extra_lines, created_at)
      values (${id}, 'Acme', ${state}, ${plan}, ${lines}, '2026-01-01')`;
    await sql`insert into wallets (workspace_id, opened_at) values (${id}, '2026-01-01')`;
    return id;
  };
  const [growth, starter] = [await newWorkspace('growth', 'active', 2), await newWorkspace('starter', 'onboarding')];
  await newWorkspace('scale', 'closed', 5);
  const callerId = async (status: string, paid_until: string | null) => {
    const id = newId();
    await sql`
      insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise,
        currency, paid_until, created_by, created_at)
      values (${starter}, ${id}, '{}', 'Acme', '', '', 'image/png', ${status}, 0, 'INR', ${paid_until}, '', now())`;
    return id;
  };
  const [paid, overdue] = [await callerId('active', '2099-01-01'), await callerId('active', '2020-01-01')];
  const [free] = [await callerId('active', null), await callerId('submitted', null)];
  take((name) => name.startsWith('0037'));
  await migrate(sql, pathToFileURL(`${folder}/`));

  const rows = await sql<{ kind: string; subject_id: string; days: number }[]>`
    select kind, subject_id, least(99, (extract(epoch from cycle_end - now()) / 86400)::integer) as days from renewals`;
  const daysOf = Object.fromEntries(rows.map(({ kind, subject_id, days }) => [`${kind} ${subject_id}`, days]));
  expect(daysOf).toEqual({
    ...{ 'plan growth': 30, 'lines all': 30 },
    ...{ [`caller_id ${paid}`]: 99, [`caller_id ${overdue}`]: 0, [`caller_id ${free}`]: 30 },
  });
  const [wallet] = await sql`
    select plan_seconds_left, plan_seconds_total, plan_cycle_end is not null as has_cycle from wallets
    where workspace_id = ${growth}`;
  expect(wallet).toEqual({ plan_seconds_left: 36_000, plan_seconds_total: 36_000, has_cycle: true });
  expect(await sql`select 1 from ledger where kind <> 'grant'`).toHaveLength(0);
});
