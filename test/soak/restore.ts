import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { EVENTS_CONSUMER } from '../../shared/bus/event-consumer.ts';
import { EVENTS_STREAM } from '../../shared/bus/subjects.ts';
import { timeOfId } from '../../shared/ids.ts';
import { errorText } from '../../shared/log.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually, pause } from '../support/until.ts';
import { answerAll, ask, CALLS, makeTenant, placeAll, type Tenant, untilQuiet } from './crash-calls.ts';
import { breaches } from './crash-invariants.ts';
import { startMoneyPartners } from './crash-money-partners.ts';
import { preparePrices } from './crash-money-tenants.ts';
import { type CrashStack, startCrashStack, VICTIMS } from './crash-stack.ts';
import { startEventReceiver } from './event-receiver.ts';
import { archiveWal, baseBackup, moveAside, restoreBase, untilRecovered } from './restore-backup.ts';
import { auditMoney, preparePayments, untilCredited } from './restore-payments.ts';

/**
 * `make restore`: calls and payments run, every program is killed, and the database is restored from a base backup and archived WAL to
 * a second before. Then the programs start again, and what holds after crashes must hold (`crash-invariants.ts`), money must add up,
 * and only what began within the lost second may be missing. STREAM=lost: NATS loses its disk as well.
 *
 * CALLS, SEED, ARCHIVE_SECONDS (PostgreSQL's archive_timeout).
 */

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const STREAM_LOST = process.env.STREAM === 'lost';
const ARCHIVE_SECONDS = Number(process.env.ARCHIVE_SECONDS ?? 10);
const BEFORE_BACKUP_MS = 4_000;
/** Calls are still being placed then. */
const AFTER_BACKUP_MS = 5_000;
const LOST_MS = 1_000;
/** An id is made shortly before its row is committed. */
const COMMIT_WITHIN_MS = 500;

const steps: [name: string, ms: number, fact: string][] = [];

async function timed<T>(name: string, work: () => Promise<T>, fact: (result: T) => string = () => ''): Promise<T> {
  const startMs = performance.now();
  const result = await work();
  steps.push([name, performance.now() - startMs, fact(result)]);
  return result;
}

async function main(): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  const kept = <T extends { close(): Promise<unknown> }>(made: T): T => {
    closing.push(() => made.close());
    return made;
  };
  try {
    const certificate = selfSignedCertificate('127.0.0.1');
    const receiver = kept(await startEventReceiver(certificate));
    const account = { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
    const carrier = kept(
      await startTwilioSimulator({ ...account, callee: () => ({ outcome: 'answer', afterMs: 300 }) }),
    );
    const providers = kept(
      await startSimulatedProviders({
        stt: { script: { turns: () => ({ text: 'a table for two please', startAfterMs: 120, endAfterMs: 300 }) } },
        llm: { firstTokenMs: 50, answer: () => ({ text: 'Certainly. It is booked.' }) },
        tts: { firstAudioMs: 40 },
      }),
    );
    const partners = kept(await startMoneyPartners(Math.random));
    const settings: Record<string, string> = {
      ...partners.settings,
      ...{ TWILIO_ACCOUNT_SID: account.accountSid, TWILIO_AUTH_TOKEN: account.authToken, TWILIO_API_URL: carrier.url },
      ...providers.settings,
      ...{ MEDIA_TOKEN_SECRET: randomBytes(32).toString('base64url'), FETCH_ALLOW: '127.0.0.0/8', ADMISSION: 'fixed' },
    };
    const stack = await startCrashStack(settings, certificate.cert);
    closing.push(() => stack.stop());
    const sql = connectDatabase({ url: stack.databaseUrl, name: 'antiphon-restore', max: 3 });
    closing.push(() => sql.end({ timeout: 5 }));
    const dataDir = join(stack.home, 'postgres');
    const recordings = join(stack.home, 'recordings');
    const archive = join(stack.home, 'wal-archive');
    await archiveWal(sql, archive, ARCHIVE_SECONDS);
    await stack.kill('postgres');
    await stack.revive('postgres');
    await preparePrices(sql);
    const payments = await preparePayments(sql, partners, stack.apiUrls, `Restore ${SEED}`);
    const setup = { stack, carrier, receiverUrl: receiver.url };
    const tenant = await makeTenant(setup, sql, SEED);
    console.log(`seed ${SEED}: ${CALLS} calls; the stream of events is ${STREAM_LOST ? 'lost' : 'kept'}\n`);

    const random = seededRandom(SEED);
    const callers = answerAll(carrier, random);
    closing.push(async () => callers.stop());
    const placing = placeAll(setup, tenant, random);
    await pause(BEFORE_BACKUP_MS);
    const backup = await timed(
      'base backup, with calls going on',
      () => baseBackup(sql, dataDir, join(stack.home, 'base.tar')),
      ({ file }) => mebibytes(statSync(file).size),
    );
    const paid = (await payments.begin()).map(payments.pay);
    const openAtTarget = await payments.begin();
    await pause(AFTER_BACKUP_MS);
    const targetMs = Date.now();
    await timed('copy of the recordings', () => copyFolder(recordings, `${recordings}.copy`), mebibytes);
    // Credited within the second that is lost, and known to the restored database as open.
    paid.push(...openAtTarget.map(payments.pay));
    const [begun, ...placedTooLate] = await Promise.all([
      payments.begin(),
      placeOne(stack, tenant, '+919666666661'),
      placeOne(stack, tenant, '+919666666662'),
    ]);
    const unknown = begun.map(payments.pay);
    // Longer where the machine is busy.
    await pause(Math.max(0, targetMs + LOST_MS - Date.now()));

    const killedMs = Date.now();
    await Promise.all(VICTIMS.map((victim) => stack.kill(victim)));
    const dead = moveAside(dataDir);
    const deadWal = join(dead, 'pg_wal');
    // The restored server archives its own WAL beside it.
    const archiveAtKill = `${archive}.at-kill`;
    cpSync(archive, archiveAtKill, { recursive: true });
    const archived = readdirSync(archive).map((name) => statSync(join(archive, name)).size);
    await timed(
      'data folder from the base backup',
      () => restoreBase(backup, dataDir, { archive, deadWal, targetMs }),
      () => `${archived.length} files of WAL, ${mebibytes(archived.reduce((sum, size) => sum + size, 0))}`,
    );
    await timed(
      'PostgreSQL recovers to the target',
      async () => {
        await stack.revive('postgres');
        return untilRecovered(sql, pause);
      },
      (lastMs) => `last commit ${Math.round(killedMs - lastMs)} ms before the kill`,
    );
    await timed(
      'NATS, and control shall read again',
      () => restoreStream(stack),
      (messages) => `${messages} events in the stream`,
    );
    rmSync(recordings, { recursive: true });
    await timed('recordings from the copy', () => copyFolder(`${recordings}.copy`, recordings), mebibytes);
    await timed('control and media ready', async () => {
      await Promise.all([stack.revive('control-1'), stack.revive('control-2')]);
      await stack.revive('media');
    });
    const downMs = Date.now() - killedMs;
    const ids = [...(await placing), ...placedTooLate];
    const wrong: string[] = [];
    await timed('calls and deliveries are done', async () => {
      if (!(await untilQuiet(sql, tenant.workspaceId))) wrong.push('calls or deliveries are open after four minutes');
    });
    await timed('payments credited', () => untilCredited(sql, paid));
    wrong.push(...(await breaches(sql, tenant.workspaceId, receiver.received)));
    const lost = await lostCalls(sql, tenant, ids);
    const tooOld = lost.filter((id) => timeOfId(id) < targetMs - COMMIT_WITHIN_MS);
    if (tooOld.length > 0) wrong.push(`${tooOld.length} calls from before the target are missing`);
    const dials = (number: string) =>
      carrier.calls.filter(({ direction, to }) => direction === 'outbound' && to === number);
    const twice = tenant.numbers.filter((number) => dials(number).length > 1);
    if (placedTooLate.some((id) => !lost.includes(id))) wrong.push('a call that was placed after the target is there');
    wrong.push(...(await dialledAgain(sql, tenant, twice, targetMs)));
    const findings = await timed('audit of money', () => auditMoney(sql, { ...settings, ...addresses(stack) }));
    const expected = (text: string) => unknown.some((id) => text.includes(id));
    wrong.push(...findings.filter((text) => !expected(text)).map((text) => `billing audit: ${text}`));
    for (const id of unknown) {
      if (!findings.some((text) => text.includes(id)))
        wrong.push(`the audit does not name ${id}, which is unknown here`);
    }
    const served = await recordingAnswers(stack, sql, tenant);
    await timed('a new call', () => oneMoreCall(stack, sql, tenant));
    const lastArchivedMs = await archiveOnly(stack, backup, archiveAtKill);

    printSteps();
    console.log(`
  away for ${seconds(downMs)} s, from the kill until control and media are ready
  ${lost.length} of ${ids.length} placed calls are unknown: they were placed in the ${seconds(killedMs - targetMs)} s that are lost
  ${twice.length} people were called twice: their calls waited in the restored queue
  ${paid.length} payments credited, half of them paid in the lost time; ${unknown.length} that began in it are named by the audit
  recordings: ${served}
  without the dead server's pg_wal, its last ${seconds(killedMs - lastArchivedMs)} s would be lost (archive_timeout = ${ARCHIVE_SECONDS} s)`);
    for (const line of wrong) console.log(`  WRONG  ${line}`);
    console.log(wrong.length === 0 ? '\npassed' : '\nFAILED');
    return wrong.length === 0;
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

/** Settings of control that are required, and that its payment gateways do not use. */
const addresses = ({ databaseUrl, natsUrl, apiUrls, home }: CrashStack) => ({
  ...{ DATABASE_URL: databaseUrl, NATS_URL: natsUrl, PUBLIC_API_URL: apiUrls[0]! },
  ...{ PUBLIC_MEDIA_URL: 'ws://127.0.0.1:1', RECORDINGS_DIR: home, MAIL_DIR: home },
});
const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** Returns the bytes of all files. */
async function copyFolder(from: string, to: string): Promise<number> {
  cpSync(from, to, { recursive: true });
  return Number(execFileSync('du', ['-sb', to], { encoding: 'utf8' }).split('\t')[0]);
}

/** Starts NATS, and has control read everything again that the stream still has. Returns how many events that is. */
async function restoreStream(stack: CrashStack): Promise<number> {
  if (STREAM_LOST) rmSync(join(stack.home, 'nats'), { recursive: true });
  await stack.revive('nats');
  if (STREAM_LOST) return 0;
  const connection = await connect({ servers: stack.natsUrl });
  try {
    const manager = await jetstreamManager(connection);
    await manager.consumers.delete(EVENTS_STREAM, EVENTS_CONSUMER);
    return (await manager.streams.info(EVENTS_STREAM)).state.messages;
  } finally {
    await connection.close();
  }
}

/** Calls that the API confirmed and that are not in the database. */
async function lostCalls(sql: Sql, tenant: Tenant, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from calls where workspace_id = ${tenant.workspaceId} and id = any(${[...ids]})`;
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => id !== '' && !found.has(id));
}

/** A call whose dial the restored database knows must not be dialled again. */
async function dialledAgain(sql: Sql, tenant: Tenant, twice: readonly string[], targetMs: number): Promise<string[]> {
  const rows = await sql<{ to_number: string }[]>`
    select c.to_number from calls c join call_events e on e.call_id = c.id and e.type = 'call.placed'
    where c.workspace_id = ${tenant.workspaceId} and c.to_number = any(${[...twice]}) and e.created_at < ${new Date(targetMs)}`;
  return rows.map(({ to_number }) => `${to_number} was dialled before the target, and again`);
}

/** How the API answers for the recordings of the calls that were connected, such as `12 × 200, 3 × 404`. */
async function recordingAnswers(stack: CrashStack, sql: Sql, tenant: Tenant): Promise<string> {
  const calls = await sql<{ id: string }[]>`
    select id from calls where workspace_id = ${tenant.workspaceId} and started_at is not null`;
  const counts = new Map<number, number>();
  for (const { id } of calls) {
    const headers = { authorization: `Bearer ${tenant.apiKey}` };
    const answer = await fetch(`${stack.apiUrls[0]}/api/v1/calls/${id}/recording`, { headers });
    await answer.body?.cancel();
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
}

async function placeOne(stack: CrashStack, { apiKey, agentId }: Tenant, to_number: string): Promise<string> {
  return ((await ask(stack, apiKey, 'POST', `/agents/${agentId}/call`, { to_number })) as { id: string }).id;
}

async function oneMoreCall(stack: CrashStack, sql: Sql, tenant: Tenant): Promise<void> {
  const { workspaceId } = tenant;
  const id = await placeOne(stack, tenant, '+919777777777');
  await eventually('a new call to end', 60_000, async () => {
    const [row] = await sql<{ status: string }[]>`
      select status from calls where workspace_id = ${workspaceId} and id = ${id} and status = 'completed'`;
    return row ?? null;
  });
}

/** Recovers from the archive alone, as when the disk is lost. Returns when the last transaction was committed. */
async function archiveOnly(stack: CrashStack, backup: Parameters<typeof restoreBase>[0], archive: string) {
  const dataDir = join(stack.home, 'archive-only');
  return timed('recovery without the dead disk', async () => {
    await restoreBase(backup, dataDir, { archive, deadWal: null, targetMs: null });
    cpSync(join(stack.home, 'postgres.password'), `${dataDir}.password`);
    const server = await startPostgres({ dataDir });
    const sql = connectDatabase({ url: server.url, name: 'antiphon-restore', max: 1 });
    try {
      return await untilRecovered(sql, pause);
    } finally {
      await sql.end({ timeout: 5 });
      await server.stop();
    }
  });
}

function printSteps(): void {
  console.log(`${'step'.padEnd(38)}${'seconds'.padStart(8)}`);
  for (const [name, ms, fact] of steps) console.log(`${name.padEnd(38)}${seconds(ms).padStart(8)}  ${fact}`);
}

process.exit((await main()) ? 0 : 1);
