import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decideCallerId } from '../../../control/caller-id/decide-caller-id.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { giveCredits } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

const DAY_MS = 86_400_000;
const FEE_PAISE = 49_900;
const NUMBER = '+911140000001';

let api: TestApi;
let team: OperatorCommand;
let owner: UserClient;
let id: string;
let approvedMs: number;

beforeAll(async () => {
  api = await startTestApi();
  team = createOperatorCommand(api.sql);
  await team.operator(`rate set caller_id ${FEE_PAISE}`);
});
afterAll(() => team.operator('rate remove caller_id'));
beforeEach(async () => {
  owner = await api.asUser('owner');
  const { workspace_id } = owner;
  await api.sql`update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${workspace_id}`;
  id = newId();
});

/** Approves a new request of a workspace with so many credits. */
async function approve(credits_paise: number): Promise<void> {
  const { workspace_id } = owner;
  if (credits_paise > 0) await giveCredits(api.sql, workspace_id, credits_paise);
  await api.sql`
    insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise,
      currency, created_by, created_at)
    values (${workspace_id}, ${id}, ${[NUMBER]}, 'Acme', 'x', '', 'image/png', 'in_review', 0, 'INR', '', now())`;
  await api.sql`insert into caller_id_numbers (workspace_id, number, request_id) values (${workspace_id}, ${NUMBER}, ${id})`;
  approvedMs = Date.now();
  const actor = { kind: 'service', id: 'operator', name: 'operator' } as const;
  const decision = { request_id: id, to: 'active', actor, at_ms: approvedMs } as const;
  expect(await api.sql.begin((tx) => decideCallerId(tx, decision))).toMatchObject({ status: 'active' });
}

const onDay = (day: number) => renewDue(api.sql, approvedMs + day * DAY_MS);
const dayOf = (day: number) => new Date(approvedMs + day * DAY_MS);
const request = async () =>
  (await api.sql`select status, fee_paise, paid_until from caller_id_requests where id = ${id}`)[0]!;
const fees = async () =>
  (await api.sql`select 1 from ledger where workspace_id = ${owner.workspace_id} and kind = 'caller_id'`).length;
const emails = async () =>
  (
    await api.sql<{ subject: string }[]>`
      select subject from mail_outbox where workspace_id = ${owner.workspace_id} and subject like '%caller id%' order by id`
  ).map(({ subject }) => subject);

describe('a shown caller id', () => {
  it('is paid when it is approved and every 30 days, with invoices', async () => {
    await approve(3 * FEE_PAISE);
    expect(await request()).toMatchObject({ paid_until: dayOf(30) });
    await onDay(30);
    await onDay(60);
    expect(await request()).toMatchObject({ paid_until: dayOf(90), fee_paise: FEE_PAISE });
    expect(await fees()).toBe(3);
    const invoices = await api.sql`
      select distinct kind, amount_paise from invoices where workspace_id = ${owner.workspace_id}`;
    expect([...invoices]).toEqual([{ kind: 'caller_id', amount_paise: FEE_PAISE }]);
  });

  it('costs nothing from one month to the next while the plan includes it', async () => {
    await approve(2 * FEE_PAISE);
    const { workspace_id } = owner;
    await api.sql`update workspaces set plan_id = 'scale' where id = ${workspace_id}`;
    await onDay(30);
    expect(await request()).toMatchObject({ status: 'active', paid_until: null, fee_paise: 0 });
    await api.sql`update workspaces set plan_id = 'starter' where id = ${workspace_id}`;
    await onDay(60);
    expect(await request()).toMatchObject({ paid_until: dayOf(90), fee_paise: FEE_PAISE });
    expect(await fees()).toBe(2);
  });

  it('that is unpaid ends after seven days, and its numbers can be requested again', async () => {
    await approve(FEE_PAISE);
    for (const day of [30, 31, 36]) await onDay(day);
    expect(await request()).toMatchObject({ status: 'active', paid_until: dayOf(30) });
    await onDay(37);
    expect(await request()).toMatchObject({ status: 'removed' });
    expect(await emails()).toEqual([
      'Your caller id is active',
      'The fee of your caller id could not be taken',
      'Your caller id has ended',
    ]);
    expect(await api.sql`select 1 from caller_id_numbers where request_id = ${id}`).toHaveLength(0);
    expect(await fees()).toBe(1);
  });

  it('that is paid late keeps its cycle', async () => {
    await approve(FEE_PAISE);
    await onDay(30);
    await giveCredits(api.sql, owner.workspace_id, FEE_PAISE);
    await onDay(33);
    expect(await request()).toMatchObject({ status: 'active', paid_until: dayOf(60) });
  });

  it('that is removed is not charged again', async () => {
    await approve(5 * FEE_PAISE);
    expect((await owner.send('POST', `/caller-id/${id}/remove`)).body.status).toBe('removed');
    await onDay(60);
    expect(await fees()).toBe(1);
  });
});
