import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AlertSources, checkNext } from '../../../control/alerts/check-alerts.ts';
import { changeThresholds } from '../../../control/alerts/manage-thresholds.ts';
import { creditsForAlert } from '../../../control/billing/balance.ts';
import { writeLedger } from '../../../control/billing/ledger.ts';
import { finishedCalls } from '../../../control/calls/finished-calls.ts';
import { endUnconnected } from '../../../control/calls/lifecycle/call-state-machine.ts';
import { insertCall } from '../../../control/calls/store.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { newId } from '../../../shared/ids.ts';
import { newBuyer } from '../../support/invoices.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const START_MS = Date.parse('2026-11-23T06:00:00Z');
const MINUTE_MS = 60_000;
const SOURCES: AlertSources = {
  consoleUrl: 'https://voice.example.com',
  creditsOf: creditsForAlert,
  finishedCallsOf: finishedCalls,
};
let sql: Sql;
let url: string;
let workspace: string;

beforeAll(async () => {
  ({ sql, url } = await createTestDatabase());
});
beforeEach(async () => {
  await sql`delete from alert_checks`;
  workspace = await newBuyer(sql);
});

const at = (minute: number) => START_MS + minute * MINUTE_MS;

const move = (amount_paise: number, minute = 0) =>
  sql.begin((tx) =>
    writeLedger(tx, {
      ...{ workspace_id: workspace, amount_paise, kind: amount_paise > 0 ? 'topup' : 'call', note: '', by_name: '' },
      ...{ at_ms: at(minute), key: newId() },
    }),
  );

/** Does what is due. @returns the subjects of the e-mails since the last look. */
async function look(minute: number): Promise<string[]> {
  while (await checkNext(sql, SOURCES, at(minute)));
  const mails = await sql<{ subject: string }[]>`
    with gone as (delete from mail_outbox where workspace_id = ${workspace} returning id, subject)
    select subject from gone order by id`;
  return mails.map(({ subject }) => subject);
}

async function endCall(minute: number, status: 'failed' | 'no-answer' | 'canceled', more: object = {}): Promise<void> {
  await sql.begin(async (tx) => {
    const placed = new Date(at(minute) - 20_000);
    const call = await insertCall(tx, {
      ...{
        workspace_id: workspace,
        id: newId(),
        agent_id: null,
        agent_name: 'A',
        agent_version: 1,
        direction: 'outbound',
      },
      ...{ channel: 'phone', status: 'ringing', from_number: '+911', to_number: '+912', user_data: {}, started_by: '' },
      ...{ provider: 'twilio', created_at: placed, not_before_at: null, queued_at: placed, ringing_at: placed },
      ...{ currency: 'INR', ...more },
    });
    const end = { status, hangup_by: 'carrier', hangup_reason: 'carrier failed', level: 'error', message: '' } as const;
    await endUnconnected(tx, call, end, at(minute));
  });
}

describe('the alerts about credits', () => {
  it('follow charges, not credits, once a day', async () => {
    await move(6_000);
    expect(await look(0)).toEqual([]);
    await move(-500);
    expect(await look(1)).toEqual([]);
    await move(-1, 2);
    expect(await look(2)).toEqual(['Your credits are running low']);
    await move(-1, 3);
    expect(await look(3)).toEqual([]);
    await move(-5_600, 4);
    expect(await look(4)).toEqual(['Your credits are used up']);
    await move(-1, 24 * 60 + 5);
    expect(await look(24 * 60 + 5)).toEqual(['Your credits are used up']);
  });

  it('say the balance, the minutes and where to add credits', async () => {
    await move(5_000);
    await sql`update wallets set plan_seconds_left = 150 where workspace_id = ${workspace}`;
    await move(-100);
    while (await checkNext(sql, SOURCES, at(0)));
    const [mail] = await sql`select body from mail_outbox where workspace_id = ${workspace}`;
    expect(mail!.body).toContain('Balance: ₹49.00\nMinutes left: 8\nIncluded minutes left: 2\n');
    expect(mail!.body).toContain('https://voice.example.com');
  });

  it('have a threshold of the workspace', async () => {
    const change = (minutes: number | null) =>
      sql.begin((tx) => changeThresholds(tx, workspace, { low_balance_minutes: minutes }));
    await change(100);
    await move(50_000);
    await move(-100);
    expect(await look(0)).toEqual(['Your credits are running low']);
    expect(await change(null)).toMatchObject({
      before: { low_balance_minutes: 100 },
      now: { low_balance_minutes: 10 },
    });
    expect(await change(-1)).toContain('low_balance_minutes');
  });

  it('are sent once by two processes', async () => {
    const pools = [connectDatabase({ url, max: 5 }), connectDatabase({ url, max: 5 })];
    await move(1_000);
    await move(-10);
    const checks = pools.flatMap((pool) => [1, 2, 3, 4].map(() => checkNext(pool, SOURCES, at(0))));
    expect((await Promise.all(checks)).filter(Boolean)).toHaveLength(1);
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })));
    expect(await look(1)).toEqual(['Your credits are running low']);
  });

  it('see a charge that is committed after a check has begun', async () => {
    await move(1_200_000);
    await move(-10);
    const { promise: looked, resolve: onLooked } = Promise.withResolvers<void>();
    const slow: AlertSources = {
      ...SOURCES,
      async creditsOf(tx, id) {
        const credits = await creditsForAlert(tx, id);
        onLooked();
        // The charge waits for this check, and asks for another one.
        const waiting = () => sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        await expect.poll(async () => (await waiting()).length).toBe(1);
        return credits;
      },
    };
    const check = checkNext(sql, slow, at(0));
    await looked;
    const charge = move(-1_200_000);
    await Promise.all([check, charge]);
    expect(await look(0)).toEqual(['Your credits are used up']);
  });

  it('do not wait for a check that fails', async () => {
    const failing = workspace;
    await move(100);
    await move(-1, -1);
    workspace = await newBuyer(sql);
    await move(100);
    await move(-1);
    const broken: AlertSources = {
      ...SOURCES,
      creditsOf: (tx, id) => (id === failing ? Promise.reject(new Error('no price')) : creditsForAlert(tx, id)),
    };
    await expect(checkNext(sql, broken, at(0))).rejects.toThrow('no price');
    expect(await checkNext(sql, broken, at(0))).toBe(true);
    expect(await look(0)).toEqual(['Your credits are running low']);
  });
});

describe('the alert that calls fail', () => {
  it('follows the ends of calls, is repeated after an hour, and taken back once', async () => {
    for (const minute of [0, 1, 2]) await endCall(minute, 'no-answer');
    await endCall(3, 'failed');
    expect(await look(3)).toEqual([]);
    await endCall(4, 'failed');
    expect(await look(4)).toEqual(['Calls are failing']);
    await endCall(5, 'failed');
    expect(await look(5)).toEqual([]);
    // Nothing finishes any more: the window empties.
    expect(await look(16)).toEqual(['Calls are no longer failing']);
    expect(await look(200)).toEqual([]);
  });

  it('leaves out canceled calls and inbound ones that were turned away', async () => {
    for (const minute of [0, 0, 0, 0]) await endCall(minute, 'failed');
    await endCall(1, 'canceled');
    await endCall(1, 'failed', { direction: 'inbound', ringing_at: new Date(at(1)) });
    expect(await look(2)).toEqual([]);
    await endCall(3, 'failed', { direction: 'inbound' });
    expect(await look(3)).toEqual(['Calls are failing']);
  });

  it('names the most frequent reasons', async () => {
    for (const minute of [0, 0, 0, 0, 0]) await endCall(minute, 'failed');
    while (await checkNext(sql, SOURCES, at(0)));
    const [mail] = await sql`select body from mail_outbox where workspace_id = ${workspace}`;
    expect(mail!.body).toContain('5 of 5 calls that finished failed');
    expect(mail!.body).toContain('5 calls: carrier failed');
  });
});
