import { expect } from 'vitest';
import { callerIdFee } from '../../../control/billing/caller-id-fee.ts';
import { decideCallerId } from '../../../control/caller-id/decide-caller-id.ts';
import { dropNumber } from '../../../control/caller-id/drop-number.ts';
import { createCallerIds } from '../../../control/caller-id/request-caller-id.ts';
import { type CallerIdRow, insertRequest, reserveNumbers } from '../../../control/caller-id/store.ts';
import { HttpError } from '../../../control/http/errors.ts';
import { buyNumber } from '../../../control/numbers/buy-number.ts';
import { createNumbers } from '../../../control/numbers/manage-numbers.ts';
import { saveOffers } from '../../../control/numbers/offer-store.ts';
import { leaseDueOrders, type OrderRow } from '../../../control/numbers/order-store.ts';
import { createReleaseNumber } from '../../../control/numbers/release-number.ts';
import { workOnOrder } from '../../../control/numbers/settle-orders.ts';
import { newId } from '../../../shared/ids.ts';
import { type Account, DAY_MS } from './account.ts';
import { type Bench, numberDeps, perform, START_MS, type Subscriber, story } from './bench.ts';
import { ACTOR, type Draw, drawOf } from './draw.ts';
import * as fees from './fees.ts';
import { PURCHASES } from './third-parties.ts';

/** Numbers and caller ids of a subscriber: bought, released, shown, removed, and orders that the carrier answers late or never. */

export const releaseNumber = createReleaseNumber(dropNumber);
const PRICE = {
  monthly: fees.NUMBER_CENTS.monthly / 100,
  setup: fees.NUMBER_CENTS.setup / 100,
  currency: 'USD',
} as const;
/** Of every search: one removes what others found an hour before it, and subscribers act at different times of a day at once. */
const OFFERED_MS = START_MS + 365 * DAY_MS;
/** A subscriber wants the same few again and again. */
const WANTED = 4;

export async function changeNumbers(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const kind = draw.upTo(10);
  if (kind < 6) return buy(bench, subscriber, now, draw);
  if (kind < 7) return release(bench, subscriber, now, draw);
  if (kind < 9) return show(bench, subscriber, now, draw);
  return hide(bench, subscriber, now, draw);
}

async function buy(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const { world, carrier, processes } = bench;
  const { workspace_id, index } = subscriber;
  const number = `+91800${String(index).padStart(5, '0')}${draw.upTo(WANTED)}`;
  const purchase = draw.pick(['bought', 'bought', 'bought', ...PURCHASES] as const);
  await saveOffers(
    processes[0]!,
    [{ number, provider: 'twilio', country: 'IN', type: 'local', price: PRICE }],
    OFFERED_MS,
  );
  const held = carrier.held.has(number);
  const order = (it: Account) => {
    if (held || it.orders.some((each) => each.number === number)) return false;
    return fees.orderNumber(it, world, number, now);
  };
  const settle = (it: Account) => {
    if (!order(it)) return false;
    const placed = it.orders.at(-1)!;
    if (purchase === 'bought') fees.settleOrder(it, world, placed, true, now);
    if (purchase === 'refused') fees.settleOrder(it, world, placed, false, now);
    return true;
  };
  await perform(bench, subscriber, now, {
    text: `buys ${number}: ${purchase}`,
    refusalSaysNothing: true,
    run: (sql) =>
      buyNumber(numberDeps(bench, sql, now, purchase), {
        ...{ workspaceId: workspace_id, actor: ACTOR, number, markCarriedOut: async () => {} },
      }),
    rules: [order, settle],
  });
}

async function release(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const { numbers } = subscriber.account;
  if (numbers.length === 0) return;
  const { number } = draw.pick(numbers);
  await perform(bench, subscriber, now, {
    text: `releases ${number}`,
    run: (sql) =>
      createNumbers({ ...numberDeps(bench, sql, now), releaseNumber, onReleasing() {} }).release({
        ...{ workspaceId: subscriber.workspace_id, actor: ACTOR, number },
      }),
    rules: [(it) => fees.releaseNumber(it, number, now)],
  });
}

/** Requests a caller id for one of its numbers, which the service's team approves at once. */
async function show(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const { workspace_id, account } = subscriber;
  const free = account.numbers.filter(
    ({ number, paid }) => paid && !account.callerIds.some((each) => each.number === number),
  );
  if (free.length === 0) return;
  const { number } = draw.pick(free);
  const [sql] = bench.processes;
  const id = newId(now);
  await sql!.begin(async (tx) => {
    const request = { workspace_id, id, numbers: [number], display_name: 'Acme', call_reason: 'support' };
    const none = { rejection_reason: '', paid_until: null, decided_at: null, created_by: '' };
    const fee = await callerIdFee(tx, workspace_id);
    const row: CallerIdRow = { ...request, status: 'submitted', ...none, ...fee, created_at: new Date(now) };
    await insertRequest(tx, row, { logo: Buffer.alloc(1), logo_type: 'image/png' });
    await reserveNumbers(tx, row);
  });
  await perform(bench, subscriber, now, {
    text: `is shown on calls of ${number}`,
    run: (database) =>
      database.begin(async (tx) => {
        const decided = await decideCallerId(tx, { request_id: id, to: 'active', actor: ACTOR, at_ms: now });
        if (typeof decided === 'string') throw new HttpError(402, decided);
      }),
    rules: [(it) => fees.approveCallerId(it, bench.world, id, number, now)],
  });
  if (subscriber.account.callerIds.some((each) => each.id === id)) return;
  await createCallerIds(numberDeps(bench, sql!, now)).withdraw(workspace_id, ACTOR, id);
}

async function hide(bench: Bench, subscriber: Subscriber, now: number, draw: Draw): Promise<void> {
  const { callerIds } = subscriber.account;
  if (callerIds.length === 0) return;
  const { id } = draw.pick(callerIds);
  await perform(bench, subscriber, now, {
    text: 'is shown no more',
    run: (sql) => createCallerIds(numberDeps(bench, sql, now)).remove(subscriber.workspace_id, ACTOR, id),
    rules: [(it) => fees.removeCallerId(it, id)],
  });
}

/** The looks at orders that are due, of two processes: at all of them. */
export async function lookAtOrders(bench: Bench, subscribers: readonly Subscriber[], now: number): Promise<void> {
  const leased = await Promise.all(bench.processes.map((each) => leaseDueOrders(each, 1_000, now, 60_000)));
  const byWorkspace = Map.groupBy(leased.flat(), ({ workspace_id }) => workspace_id);
  await Promise.all(
    subscribers.map(async (subscriber) => {
      const orders = (byWorkspace.get(subscriber.workspace_id) ?? []).sort((a, b) => (a.number < b.number ? -1 : 1));
      const due = subscriber.account.orders.filter(({ nextAttempt }) => nextAttempt <= now);
      expect(
        orders.map(({ number }) => number),
        story(subscriber),
      ).toEqual(due.map(({ number }) => number).sort());
      for (const order of orders) await look(bench, subscriber, order, now);
    }),
  );
}

async function look(bench: Bench, subscriber: Subscriber, order: OrderRow, now: number): Promise<void> {
  const { carrier, world } = bench;
  const { number, state } = order;
  if (carrier.held.get(number) === 'pending' && drawOf(subscriber).sometimes(0.3)) carrier.held.set(number, 'held');
  const held = carrier.held.get(number) ?? null;
  await perform(bench, subscriber, now, {
    text: `its order of ${number} is looked at: ${state}, ${held ?? 'nothing'} at the carrier`,
    refusalSaysNothing: true,
    run: (sql) => workOnOrder(numberDeps(bench, sql, now), order),
    rules: [
      (it) => {
        const due = it.orders.find((each) => each.number === number && each.state === state)!;
        fees.lookAtOrder(it, world, due, held, now);
      },
    ],
  });
}
