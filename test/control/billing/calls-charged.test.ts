import { beforeAll, describe, expect, it } from 'vitest';
import { writeLedger } from '../../../control/billing/ledger.ts';
import { walletOf } from '../../../control/billing/wallet.ts';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { openSession } from '../../../control/calls/engines/sessions.ts';
import { applyMediaEvents } from '../../../control/calls/events/apply-media-events.ts';
import { parseMediaEvent } from '../../../control/calls/events/media-event.ts';
import { finishWithoutEngine } from '../../../control/calls/lifecycle/finish-call.ts';
import { lockCallById } from '../../../control/calls/store.ts';
import { chargeTransfers, legSeconds } from '../../../control/calls/transfers/charge-transfers.ts';
import { settleTransfer } from '../../../control/calls/transfers/transfer-outcome.ts';
import { withTransfer } from '../../../control/calls/transfers/transfer-row.ts';
import { isLockTimeout } from '../../../control/db/item-runner.ts';
import type { CallEvent } from '../../../shared/bus/messages.ts';
import type { HangupReason } from '../../../shared/call.ts';
import { newId } from '../../../shared/ids.ts';
import { type CallFixture, createCallFixture, log, type Tenant, usage, wholeCall } from '../calls/call-fixture.ts';

/** Calls as the engine or the reaper ends them, and what that costs. */

const CREDITS = 100_000;
let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

const newTenant = (credits = CREDITS) => fixture.tenant(20, {}, credits);

/** As an engine tells it, without a bus. */
async function publish(callId: string, events: readonly CallEvent[]): Promise<void> {
  await fixture.sql.begin(async (tx) => {
    const call = (await lockCallById(tx, callId))!;
    const read = events.map((event) => parseMediaEvent(event)).filter((event) => typeof event !== 'string');
    await applyMediaEvents(tx, call, read, { seq: call.media_seq + events.length, position: 0 }, fixture.clock.wall());
  });
}

const rowsOf = ({ workspace_id, id }: Pick<CallRow, 'workspace_id' | 'id'>) => fixture.sql`
  select * from ledger where workspace_id = ${workspace_id} and call_id = ${id} order by seq`;

const creditsOf = async ({ workspace_id }: Tenant) => {
  const { paid_paise, free_paise } = await walletOf(fixture.sql, workspace_id);
  return paid_paise + free_paise;
};

describe('a call that its engine ends', () => {
  it('is charged with its end', async () => {
    const tenant = await newTenant();
    const { id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id));
    const call = await fixture.read(id);
    // 12 seconds: 11.29 + 70 + 20 below 12 / 60 × 550.
    expect(call).toMatchObject({
      duration_seconds: 12,
      cost_paise: 110,
      plan_seconds_covered: 0,
      cost_breakdown: { usage_paise: 102, floor_applied: true, total_paise: 110, channel: 'phone' },
    });
    expect(await rowsOf(call)).toMatchObject([
      { kind: 'call', amount_paise: -110, note: 'call with Asha', by_name: 'key one', seconds: 12, at: call.ended_at },
    ]);
    expect(await creditsOf(tenant)).toBe(CREDITS - 110);
  });

  it("is charged by the agent's settings where the engine reported no providers", async () => {
    const tenant = await newTenant();
    const { id } = await fixture.opened(tenant);
    const { provider_usage_json: _, ...ending } = wholeCall(id).at(-1)!.ending!;
    await publish(id, [...wholeCall(id).slice(0, -1), { ...wholeCall(id).at(-1)!, ending }]);
    const { lines } = (await fixture.read(id)).cost_breakdown as { lines: { component: string; quantity: number }[] };
    expect(lines.map(({ component }) => component)).toEqual([
      ...['transcriber', 'llm', 'llm', 'voice', 'telephony', 'platform'],
    ]);
    expect(lines[3]).toMatchObject({ quantity: usage.tts_characters / 1_000 });
  });

  it('is free when it failed', async () => {
    const tenant = await newTenant();
    const { id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id, { hangup_reason: 'error: tts' }));
    const call = await fixture.read(id);
    expect(call).toMatchObject({
      status: 'failed',
      cost_paise: 0,
      cost_breakdown: { waived: 'failed', waived_paise: 110, total_paise: 0 },
    });
    expect(await rowsOf(call)).toEqual([]);
    expect(await creditsOf(tenant)).toBe(CREDITS);
  });

  it('is nothing when the conversation never began', async () => {
    const tenant = await newTenant();
    const { id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id, { duration_seconds: 0 }).slice(-1));
    const call = await fixture.read(id);
    expect(call).toMatchObject({ status: 'canceled', cost_paise: 0, cost_breakdown: {} });
    expect(await rowsOf(call)).toEqual([]);
  });
});

describe('a call that is ended without its engine', () => {
  const finish = (id: string, hangup_reason: HangupReason) =>
    fixture.sql.begin(async (tx) => {
      const call = (await lockCallById(tx, id))!;
      const ended_at_ms = call.started_at!.getTime() + 60_000;
      const end = { hangup_by: 'service', hangup_reason, ended_at_ms } as const;
      return finishWithoutEngine(tx, call, end, fixture.clock.wall());
    });

  it('is charged for its time, and not again when the engine reports its usage', async () => {
    const tenant = await newTenant();
    const { id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id).slice(0, -1));
    expect(await finish(id, 'caller hung up')).toBe(true);
    expect(await finish(id, 'caller hung up')).toBe(false);
    const charged = await fixture.read(id);
    // 450 of line and platform below the price of the minute.
    expect(charged).toMatchObject({ cost_paise: 550, cost_breakdown: { usage_paise: 450 } });
    await publish(id, wholeCall(id).slice(-1));
    const { usage: learned, cost_paise, cost_breakdown } = await fixture.read(id);
    expect({ learned, cost_paise, cost_breakdown }).toEqual({
      learned: usage,
      cost_paise: 550,
      cost_breakdown: charged.cost_breakdown,
    });
    expect(await rowsOf(charged)).toHaveLength(1);
    expect(await creditsOf(tenant)).toBe(CREDITS - 550);
  });

  it('is free when its engine is lost', async () => {
    const tenant = await newTenant();
    const { id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id).slice(0, -1));
    await finish(id, 'media engine lost');
    expect(await fixture.read(id)).toMatchObject({ status: 'failed', cost_paise: 0 });
    expect(await creditsOf(tenant)).toBe(CREDITS);
  });
});

describe('the length of a call', () => {
  const open = async (call: CallRow, ended?: (call: CallRow) => void) =>
    openSession(
      { sql: fixture.sql, clock: fixture.clock, log, ...(ended ? { onCallEnded: ended } : {}) },
      {
        ...{ call_id: call.id, nonce: 'b'.repeat(16), engine_id: 'engine-1' },
        ...{ carrier: 'twilio', provider_call_id: call.provider_call_id },
      },
    );
  /** Providers that cost nothing: a minute is the 5.50 of the plan. */
  const cheap = {
    llm: { provider: 'custom', model: 'own' },
    voice: { provider: 'local', voice_id: 'en', language: 'en' },
    transcriber: { provider: 'local', model: 'en' },
  } as const;

  it('is what the credits pay for, and said to be so', async () => {
    const tenant = await fixture.tenant(20, cheap as never, 1_000);
    // 1,000 × 60 / 550
    const { session } = await open(await fixture.ringing(tenant));
    expect(session).toMatchObject({ max_duration_seconds: 109, capped_by_credits: true });
    // The line makes a minute use 450 / 250 included ones: 31 seconds are 17.
    await fixture.sql`update wallets set plan_seconds_left = 31 where workspace_id = ${tenant.workspace_id}`;
    expect((await open(await fixture.ringing(tenant))).session?.max_duration_seconds).toBe(126);
  });

  it('is the agent’s own where the credits last longer', async () => {
    const { session } = await open(await fixture.ringing(await fixture.tenant(20, cheap as never, CREDITS)));
    expect(session?.max_duration_seconds).toBe(600);
    expect(session?.capped_by_credits).toBeUndefined();
  });

  it('is none when the credits went while it rang: the call fails, and hung up at the carrier', async () => {
    const tenant = await newTenant(600);
    const { workspace_id } = tenant;
    const call = await fixture.ringing(tenant);
    await fixture.sql.begin((tx) =>
      writeLedger(tx, {
        ...{ workspace_id, kind: 'call', amount_paise: -600, note: '', by_name: '', at_ms: 0, key: newId() },
      }),
    );
    const ended: string[] = [];
    expect(await open(call, ({ id }) => ended.push(id))).toEqual({ refused: 'out of credits' });
    expect(ended).toEqual([call.id]);
    const failed = await fixture.read(call.id);
    expect(failed).toMatchObject({
      status: 'failed',
      hangup_reason: 'out of credits',
      hangup_by: 'service',
      cost_paise: 0,
    });
    expect((await fixture.timeline(call)).at(-1)).toMatchObject({
      type: 'call.ended',
      level: 'error',
      message: 'out of credits',
    });
    // The same stream asks again.
    expect(await open(call)).toEqual({ refused: 'the call is failed' });
  });
});

describe('a transfer', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
  const moments = {
    settled_at: at(20),
    caller_left_at: at(10),
    bridged_at: at(20),
    target_ended_at: at(80),
    caller_ended_at: at(81.2),
  };

  it.each([
    ['both ends are reported', {}, [60, 72]],
    ['the target stays a little longer', { target_ended_at: at(90) }, [62, 72]],
    ['nobody answered', { bridged_at: null, target_ended_at: null, caller_ended_at: at(40) }, [0, 30]],
    ['the end of the caller is not reported', { caller_ended_at: null }, [60, 70]],
    ['the end of the target is not reported', { target_ended_at: null }, [62, 72]],
    ['no end is reported', { target_ended_at: null, caller_ended_at: null }, [0, 10]],
    ['the caller never left', { caller_left_at: null, bridged_at: null, caller_ended_at: null }, [0, 0]],
  ])('has legs of so many seconds when %s', (_when, change, [target_seconds, caller_seconds]) => {
    expect(legSeconds({ ...moments, ...change })).toEqual({ target_seconds, caller_seconds });
  });

  it('is charged once, when its legs are over and so is the call', async () => {
    const tenant = await newTenant();
    const { id, workspace_id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id).slice(0, -1));
    const transfer = {
      ...{
        workspace_id,
        call_id: id,
        id: newId(),
        provider: 'twilio',
        warm: false,
        name: 'Ravi',
        number: '+919800011111',
      },
      ...{ reason: '', summary: '', language: 'en', state: 'talking', state_at: at(20), status: 'answered' },
      ...{ ...moments, target_ended_at: null, caller_ended_at: null, started_at: at(9) },
    };
    await fixture.sql`insert into transfers ${fixture.sql(transfer as never)}`;
    const round = () => chargeTransfers({ sql: fixture.sql, clock: fixture.clock });
    await round();
    await publish(id, wholeCall(id, { hangup_reason: 'transferred' }).slice(-1));
    await round();
    expect(await fixture.read(id)).toMatchObject({ cost_paise: 110, status: 'ended' });
    await fixture.sql`
      update transfers set target_ended_at = ${at(80)}, caller_ended_at = ${at(81.2)}, state = 'over', state_at = ${at(82)}
      where id = ${transfer.id}`;
    // On a busy machine one of the two does not get the lock in time.
    for (const result of await Promise.allSettled([round(), round()])) {
      if (result.status === 'rejected') expect(result.reason).toSatisfy(isLockTimeout);
    }
    await round();
    const call = await fixture.read(id);
    // 101.29… + 132 / 60 × 350 = 871.29…
    expect(call).toMatchObject({ cost_paise: 872, cost_breakdown: { total_paise: 872, floor_applied: false } });
    expect((await rowsOf(call)).map((row) => [row.amount_paise, row.note])).toEqual([
      [-110, 'call with Asha'],
      [-762, 'transfer to Ravi'],
    ]);
    expect(await creditsOf(tenant)).toBe(CREDITS - 872);
    const completed = (await fixture.timeline(call)).filter(({ type }) => type === 'call.completed');
    expect(completed).toMatchObject([{ data: { call: { status: 'completed', cost_paise: 872 } } }]);
  });

  it('that leaves the caller with the agent does not delay the completion', async () => {
    const tenant = await newTenant();
    const { id, workspace_id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id).slice(0, -1));
    const transfer = {
      ...{
        workspace_id,
        call_id: id,
        id: newId(),
        provider: 'twilio',
        warm: true,
        name: 'Ravi',
        reason: '',
        summary: '',
      },
      ...{ number: '+919800011111', language: 'en', state: 'ringing', state_at: at(20), started_at: at(9) },
    };
    await fixture.sql`insert into transfers ${fixture.sql(transfer as never)}`;
    await publish(id, wholeCall(id).slice(-1));
    // The phone still rings: nobody knows yet whether the caller is joined.
    expect(await fixture.read(id)).toMatchObject({ status: 'ended' });
    await withTransfer(fixture.sql, 'twilio', transfer.id, (tx, held) =>
      settleTransfer(tx, held, { status: 'canceled', dial_status: '' }, fixture.clock.wall()),
    );
    expect(await fixture.read(id)).toMatchObject({ status: 'completed', cost_paise: 110 });
  });

  it('is charged without the end of the caller after a timeout', async () => {
    const tenant = await newTenant();
    const { id, workspace_id } = await fixture.opened(tenant);
    await publish(id, wholeCall(id));
    const now = fixture.clock.wall();
    const transfer = {
      ...{
        workspace_id,
        call_id: id,
        id: newId(),
        provider: 'twilio',
        warm: false,
        name: 'Ravi',
        number: '+919800011111',
      },
      ...{
        reason: '',
        summary: '',
        language: 'en',
        state: 'talking',
        state_at: new Date(now - 70_000),
        status: 'answered',
      },
      ...{
        started_at: new Date(now - 80_000),
        settled_at: new Date(now - 70_000),
        caller_left_at: new Date(now - 80_000),
      },
      ...{ bridged_at: new Date(now - 70_000), target_ended_at: new Date(now - 10_000), caller_ended_at: null },
    };
    await fixture.sql`insert into transfers ${fixture.sql(transfer as never)}`;
    const charged = async () => {
      await chargeTransfers({ sql: fixture.sql, clock: fixture.clock });
      return (await fixture.read(id)).cost_paise;
    };
    expect(await charged()).toBe(110);
    // The target's end is a minute old, and the caller's was never reported.
    fixture.clock.shift(51_000);
    // 101.29… + (60 + 70) / 60 × 350
    expect(await charged()).toBe(860);
    fixture.clock.shift(-51_000);
  });
});

it('the ledger agrees with the calls in the end', async () => {
  const wrong = await fixture.sql`
    select c.id, c.status, c.duration_seconds, c.cost_paise, l.rows, l.charged
    from calls c cross join lateral (
      select count(*) filter (where key = 'call:' || c.id)::integer as rows,
        coalesce(-sum(amount_paise) filter (where key = 'call:' || c.id or key like 'transfer:%'), 0)::bigint as charged,
        coalesce(-sum(amount_paise) filter (where key like 'analysis:%'), 0)::bigint as analysed
      from ledger where workspace_id = c.workspace_id and call_id = c.id
    ) l
    where l.charged <> c.cost_paise or l.analysed <> c.analysis_cost_paise
      or l.rows <> case when c.status in ('ended', 'completed') and c.duration_seconds > 0 then 1 else 0 end`;
  expect(wrong).toEqual([]);
  const [counted] = await fixture.sql<{ calls: number }[]>`
    select count(*)::integer as calls from ledger where seconds is not null`;
  expect(counted!.calls).toBeGreaterThan(3);
});
