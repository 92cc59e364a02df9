import { newId } from '../../shared/ids.ts';
import { checkRequest } from '../alerts/request-check.ts';
import { type BoundedTotal, boundedTotal } from '../db/bounded-total.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import { convertPaise, exchangeRates } from './exchange-rates.ts';
import type { Currency } from './rates.ts';
import { lockWallet, type WalletRow } from './wallet.ts';

export const LEDGER_KINDS = [
  'grant',
  'coupon',
  'topup',
  'call',
  'plan',
  'number',
  'caller_id',
  'lines',
  'composer',
  'test',
  'conversion',
  'adjustment',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

export interface LedgerEntry {
  workspace_id: string;
  kind: LedgerKind;
  /** In the workspace's smallest unit; negative: a charge. A call that its plan covered is a row of 0. */
  amount_paise: number;
  /** Shown to the workspace. */
  note: string;
  call_id?: string;
  payment_id?: string;
  /** The name of the actor; empty: the service. */
  by_name: string;
  at_ms: number;
  /** Idempotency key, like `call:<id>`: a workspace's key is charged once. */
  key: string;
  /** Included seconds it uses up. */
  plan_seconds?: number;
  /** Of a call's charge: how long the agent was live. */
  seconds?: number;
  /** Of a call's charge: what a later charge of the same call starts from. */
  basis?: ChargeBasis;
}

/** Amounts of `exact-amount.ts` as decimal digits. */
export interface ChargeBasis {
  usage: string;
  legs: string;
}

export interface LedgerRow {
  workspace_id: string;
  seq: number;
  id: string;
  key: string;
  at: Date;
  kind: LedgerKind;
  amount_paise: number;
  /** How much of the amount moved paid and how much free credits; same sign. */
  paid_paise: number;
  free_paise: number;
  balance_after_paise: number;
  currency: Currency;
  note: string;
  call_id: string | null;
  payment_id: string | null;
  by_name: string;
  plan_seconds: number;
  seconds: number | null;
  basis: ChargeBasis | null;
}

/**
 * Writes a row and moves the wallet, whose row stays locked until the transaction ends: a workspace's charges wait for each
 * other, and each row's balance is the previous one plus its amount. Free credits are spent first, and what is missing becomes
 * a debt. With a key that exists already nothing moves, and its row is returned.
 *
 * @throws Error when the workspace has no wallet.
 */
export async function writeLedger(tx: Transaction, entry: LedgerEntry): Promise<LedgerRow> {
  const wallet = await lockWallet(tx, entry.workspace_id);
  return (await rowOfKey(tx, entry)) ?? append(tx, wallet, entry);
}

/** Like `writeLedger` for a purchase: returns null and writes nothing when the credits do not cover it. */
export async function spendCredits(tx: Transaction, entry: LedgerEntry): Promise<LedgerRow | null> {
  const wallet = await lockWallet(tx, entry.workspace_id);
  const before = await rowOfKey(tx, entry);
  if (before) return before;
  const credits = wallet.paid_paise + wallet.free_paise;
  return credits + entry.amount_paise < 0 ? null : append(tx, wallet, entry);
}

/** The key of what gives a charge back. */
export const returnedKeyOf = (chargeKey: string): string => `${chargeKey}:returned`;

/**
 * Gives back what a charge took and `more_paise` paid credits, its free credits as free ones, converted when the workspace's currency
 * was changed since. However often it is called it happens once; null when nothing was charged with the key.
 */
export async function returnCharge(
  tx: Transaction,
  charged: Pick<LedgerEntry, 'workspace_id' | 'key' | 'note' | 'at_ms'> & { more_paise?: number },
): Promise<LedgerRow | null> {
  const { workspace_id, key, note, at_ms, more_paise = 0 } = charged;
  const wallet = await lockWallet(tx, workspace_id);
  const charge = await rowOfKey(tx, { workspace_id, key });
  if (!charge) return null;
  const now = await converterToWallet(tx, workspace_id, charge.currency);
  const free = -now(charge.free_paise) || 0;
  const amount_paise = free - now(charge.paid_paise) + more_paise;
  const entry: LedgerEntry = {
    ...{ workspace_id, kind: charge.kind, amount_paise, note, by_name: '', at_ms, key: returnedKeyOf(key) },
    ...(charge.payment_id === null ? {} : { payment_id: charge.payment_id }),
  };
  return (await rowOfKey(tx, entry)) ?? append(tx, wallet, entry, free);
}

/**
 * Of amounts in `from` into those of the wallet, whose currency may have been changed since; at `paisePerDollar`, or at the rate in
 * force. The wallet must be locked, so that its currency stays.
 */
export async function converterToWallet(
  tx: Transaction,
  workspaceId: string,
  from: Currency,
  paisePerDollar?: number | null,
): Promise<(paise: number) => number> {
  const [workspace] = await tx<{ currency: Currency }[]>`select currency from workspaces where id = ${workspaceId}`;
  const to = workspace!.currency;
  if (to === from) return (paise) => paise;
  const rate = paisePerDollar ?? (await exchangeRates(tx)).USD;
  return (paise) => convertPaise(paise, to, rate);
}

/**
 * Takes credits back whose money went back: `free_paise` of them, as far as there are any left, are free ones. The rest are paid
 * ones, and may become a debt.
 */
export async function takeBackCredits(
  tx: Transaction,
  { free_paise, ...entry }: LedgerEntry & { free_paise: number },
): Promise<LedgerRow> {
  const wallet = await lockWallet(tx, entry.workspace_id);
  const free = Math.min(free_paise, wallet.free_paise);
  return (await rowOfKey(tx, entry)) ?? append(tx, wallet, entry, free === 0 ? 0 : -free);
}

/** Moves paid and free credits by these amounts: of a change of currency, one row in each. */
export async function writeConversion(
  tx: Transaction,
  {
    paid_paise,
    free_paise,
    ...entry
  }: Omit<LedgerEntry, 'kind' | 'amount_paise'> & Pick<LedgerRow, 'paid_paise' | 'free_paise'>,
): Promise<LedgerRow> {
  const wallet = await lockWallet(tx, entry.workspace_id);
  return append(
    tx,
    wallet,
    { ...entry, kind: 'conversion', amount_paise: paid_paise + free_paise || 0 },
    free_paise || 0,
  );
}

type EntryKey = Pick<LedgerEntry, 'workspace_id' | 'key'>;

/** The existing row of a key, or null. */
export async function rowOfKey(sql: AnySql, { workspace_id, key }: EntryKey): Promise<LedgerRow | null> {
  const [row] = await sql<LedgerRow[]>`select * from ledger where workspace_id = ${workspace_id} and key = ${key}`;
  return row ?? null;
}

/** The existing rows of several keys; each is looked up in the index, whatever is known of the table's size. */
export async function rowsOfKeys(sql: AnySql, keys: readonly EntryKey[]): Promise<LedgerRow[]> {
  return sql<LedgerRow[]>`
    select known.* from unnest(
      ${keys.map(({ workspace_id }) => workspace_id)}::text[], ${keys.map(({ key }) => key)}::text[]
    ) as wanted (workspace_id, key)
    cross join lateral (
      select * from ledger where ledger.workspace_id = wanted.workspace_id and ledger.key = wanted.key limit 1
    ) as known`;
}

/** Writes a row and moves the wallet, with one statement. The wallet is locked, and was read under that lock; the key is free. */
export async function append(
  tx: Transaction,
  wallet: WalletRow,
  entry: LedgerEntry,
  free = freePart(wallet, entry),
): Promise<LedgerRow> {
  const [row] = await insertRows(tx, [nextMove(wallet, entry, free).row]);
  return row!;
}

/** A row to be written; the currency is the workspace's. */
export type NewLedgerRow = Omit<LedgerRow, 'currency'>;

/** The row of an entry, and the wallet after it; nothing is written. */
export function nextMove(
  wallet: WalletRow,
  entry: LedgerEntry,
  free = freePart(wallet, entry),
): { row: NewLedgerRow; wallet: WalletRow } {
  const { workspace_id, key, kind, amount_paise, note, by_name, at_ms, plan_seconds = 0 } = entry;
  const paid = amount_paise - free;
  const after: WalletRow = {
    ...wallet,
    paid_paise: wallet.paid_paise + paid,
    free_paise: wallet.free_paise + free,
    seq: wallet.seq + 1,
    plan_seconds_left: wallet.plan_seconds_left - plan_seconds,
  };
  const row: NewLedgerRow = {
    ...{ workspace_id, key, kind, amount_paise, note, by_name, plan_seconds, seq: after.seq },
    ...{ id: newId(at_ms), at: new Date(at_ms), paid_paise: paid, free_paise: free },
    balance_after_paise: after.paid_paise + after.free_paise,
    call_id: entry.call_id ?? null,
    payment_id: entry.payment_id ?? null,
    seconds: entry.seconds ?? null,
    basis: entry.basis ?? null,
  };
  return { row, wallet: after };
}

/**
 * Writes rows of any workspaces and moves their wallets, with one statement, as `nextMove` has computed them from wallets that are
 * locked and were read under that lock; the keys are free.
 */
export async function insertRows(tx: Transaction, rows: readonly NewLedgerRow[]): Promise<LedgerRow[]> {
  const column = <Name extends keyof NewLedgerRow>(name: Name) => rows.map((row) => row[name]);
  const charges = rows.filter(({ amount_paise }) => amount_paise < 0);
  const charged = charges.map(({ workspace_id }) => workspace_id);
  const firstMs = Math.min(...charges.map(({ at }) => at.getTime()));
  return tx<LedgerRow[]>`
    with entry as (
      select * from unnest(
        ${column('workspace_id')}::text[], ${column('seq')}::bigint[], ${column('id')}::text[], ${column('key')}::text[],
        ${column('at').map((at) => at.toISOString())}::text[], ${column('kind')}::text[], ${column('amount_paise')}::bigint[],
        ${column('paid_paise')}::bigint[], ${column('free_paise')}::bigint[], ${column('balance_after_paise')}::bigint[],
        ${column('note')}::text[], ${column('call_id')}::text[], ${column('payment_id')}::text[], ${column('by_name')}::text[],
        ${column('plan_seconds')}::integer[], ${column('seconds')}::integer[],
        ${column('basis').map((basis) => basis && JSON.stringify(basis))}::text[]
      ) as entry (workspace_id, seq, id, key, at, kind, amount_paise, paid_paise, free_paise, balance_after_paise, note, call_id,
        payment_id, by_name, plan_seconds, seconds, basis)
    ), moved as (
      update wallets set paid_paise = wallets.paid_paise + change.paid, free_paise = wallets.free_paise + change.free,
        plan_seconds_left = plan_seconds_left - change.plan_seconds, seq = change.seq
      from (
        select workspace_id, sum(paid_paise)::bigint as paid, sum(free_paise)::bigint as free,
          sum(plan_seconds)::integer as plan_seconds, max(seq) as seq
        from entry group by workspace_id
      ) as change
      where wallets.workspace_id = change.workspace_id
    )
    ${charged.length > 0 ? tx`, requested as (${checkRequest(tx, charged, 'credits', firstMs)})` : tx``}
    insert into ledger (workspace_id, seq, id, key, at, kind, amount_paise, paid_paise, free_paise, balance_after_paise, currency,
      note, call_id, payment_id, by_name, plan_seconds, seconds, basis)
    select entry.workspace_id, seq, entry.id, key, at::timestamptz, kind, amount_paise, paid_paise, free_paise,
      balance_after_paise, currency, note, call_id, payment_id, by_name, plan_seconds, seconds, basis::jsonb
    from entry join workspaces on workspaces.id = entry.workspace_id returning *`;
}

/** The part of an amount that moves free credits: charges take them first, grants and coupons add to them. */
function freePart({ free_paise }: WalletRow, { kind, amount_paise }: LedgerEntry): number {
  if (amount_paise < 0) return Math.max(amount_paise, -free_paise) || 0;
  return kind === 'grant' || kind === 'coupon' ? amount_paise : 0;
}

export interface LedgerItem
  extends Omit<LedgerRow, 'workspace_id' | 'seq' | 'key' | 'plan_seconds' | 'seconds' | 'basis'> {
  funded: 'paid' | 'free';
}

/** Newest first, by the order in which the wallet moved. */
export async function listLedger(
  sql: Sql,
  workspaceId: string,
  { limit, skip, kind }: { limit: number; skip: number; kind?: LedgerKind | undefined },
): Promise<BoundedTotal & { items: LedgerItem[] }> {
  if (kind !== undefined) return listKind(sql, workspaceId, { limit, skip, kind });
  // Rows are numbered without gaps, so the last number is the count, and rows that are left out are not read.
  const rows = await sql<(LedgerRow & { total: number })[]>`
    select wallets.seq as total, ledger.*
    from wallets left join ledger
      on ledger.workspace_id = wallets.workspace_id and ledger.seq <= wallets.seq - ${skip} and ledger.seq > wallets.seq - ${skip + limit}
    where wallets.workspace_id = ${workspaceId} order by ledger.seq desc`;
  const items = rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => itemOf(row));
  return { items, total: rows[0]?.total ?? 0 };
}

async function listKind(
  sql: Sql,
  workspaceId: string,
  { limit, skip, kind }: { limit: number; skip: number; kind: LedgerKind },
): Promise<BoundedTotal & { items: LedgerItem[] }> {
  // Named in the statement: nearly all rows are of calls, and a plan for any kind would be wrong for them or for the others.
  const ofKind = sql`from ledger where workspace_id = ${workspaceId} and kind = ${sql.unsafe(`'${kind}'`)}`;
  const rows = await sql<LedgerRow[]>`select * ${ofKind} order by seq desc limit ${limit} offset ${skip}`;
  const matches = sql`select 1 ${ofKind}`;
  return { items: rows.map(itemOf), ...(await boundedTotal(sql, { rows: rows.length, limit, skip }, matches)) };
}

const itemOf = (row: LedgerRow): LedgerItem => ({ ...row, funded: row.paid_paise === 0 ? 'free' : 'paid' });
