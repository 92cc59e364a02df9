import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { issueInvoice, type NewInvoice } from '../../../../control/billing/invoices/issue-invoice.ts';
import { connectDatabase } from '../../../../control/db/connect.ts';
import { startPostgres } from '../../../../dev/postgres.ts';
import { archiveWal, baseBackup, moveAside, restoreBase, untilRecovered } from '../../../soak/restore-backup.ts';
import { afterFile } from '../../../support/after-file.ts';
import { makeFastFolder } from '../../../support/fast-folder.ts';
import { newBuyer, registerSeller, topUp } from '../../../support/invoices.ts';
import { copyPreparedPostgres } from '../../../support/prepared-postgres.ts';
import { pause } from '../../../support/until.ts';

/** A small form of `make restore`: PostgreSQL alone, killed and restored from base backup and WAL to a moment before. */

const at_ms = Date.parse('2030-07-01T00:00:00Z');

async function startServer() {
  const home = makeFastFolder('restored-numbers-');
  const dataDir = join(home, 'postgres');
  await copyPreparedPostgres(dataDir);
  const server = await startPostgres({ dataDir });
  const sql = connectDatabase({ url: server.url, max: 4 });
  afterFile(async () => {
    await sql.end({ timeout: 5 });
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const archive = join(home, 'wal-archive');
  await archiveWal(sql, archive, 60);
  await server.restart();
  return { server, sql, home, dataDir, archive };
}

it('after a restore to a moment, invoices have the numbers that follow those that are there', async () => {
  const { server, sql, home, dataDir, archive } = await startServer();
  await registerSeller(sql);
  const buyer = await newBuyer(sql);
  const issue = (invoice: NewInvoice) => sql.begin((tx) => issueInvoice(tx, invoice));
  const issueAtOnce = (count: number) =>
    Promise.all(Array.from({ length: count }, () => issue(topUp(buyer, { at_ms }))));
  const sequences = async () =>
    (await sql<{ sequence: number }[]>`select sequence from invoices order by sequence`).map(
      ({ sequence }) => sequence,
    );

  await issueAtOnce(3);
  const backup = await baseBackup(sql, dataDir, join(home, 'base.tar'));
  await issueAtOnce(4);
  const [{ targetMs } = { targetMs: 0 }] = await sql<{ targetMs: number }[]>`
    select ceil(extract(epoch from clock_timestamp()) * 1000)::float8 as "targetMs"`;
  const lost = topUp(buyer, { at_ms });
  await issue(lost);
  await issueAtOnce(2);

  process.kill(server.pid, 'SIGKILL');
  await server.exited();
  const dead = moveAside(dataDir);
  await restoreBase(backup, dataDir, { archive, deadWal: join(dead, 'pg_wal'), targetMs });
  await server.restart();
  await untilRecovered(sql, pause);
  expect(await sequences()).toEqual([1, 2, 3, 4, 5, 6, 7]);

  // Its payment is found again by asking the gateway.
  expect(await issue(lost)).toMatchObject({ number: '2030-31/000008' });
  await issueAtOnce(5);
  expect(await sequences()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
});
