import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { NumberOffer } from '../carriers/number-inventory.ts';
import type { AnySql } from '../db/connect.ts';

/** An offer of the carrier's, as the last search found it. */
export interface OfferRow extends NumberOffer {
  provider: CarrierName;
}

/** A found number can be bought for an hour; then it has to be searched again. */
const OFFER_MS = 3_600_000;

export async function saveOffers(sql: AnySql, offers: readonly OfferRow[], nowMs: number): Promise<void> {
  await sql`delete from number_offers where offered_at < ${new Date(nowMs - OFFER_MS)}`;
  if (offers.length === 0) return;
  // In one order, so that two searches never wait for each other in a circle.
  const rows = [...offers].sort((a, b) => (a.number < b.number ? -1 : 1));
  await sql`
    insert into number_offers (number, provider, country, type, price, offered_at)
    select o.number, o.provider, o.country, o.type, o.price, ${new Date(nowMs)}
    from jsonb_to_recordset(${sql.json(rows as never)})
      as o(number text, provider text, country text, type text, price jsonb)
    on conflict (number) do update set provider = excluded.provider, country = excluded.country, type = excluded.type,
      price = excluded.price, offered_at = excluded.offered_at`;
}

/** Null when no search of the last hour found the number. */
export async function findOffer(sql: AnySql, number: string, nowMs: number): Promise<OfferRow | null> {
  const [row] = await sql<OfferRow[]>`
    select number, provider, country, type, price from number_offers
    where number = ${number} and offered_at >= ${new Date(nowMs - OFFER_MS)}`;
  return row ?? null;
}

/** Which of these the service has already, for whichever workspace. */
export async function takenNumbers(sql: AnySql, numbers: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ number: string }[]>`
    select number from numbers where number = any(${[...numbers]}) and status <> 'released'
    union
    select number from number_orders where number = any(${[...numbers]}) and state in ('ordering', 'bought', 'releasing')`;
  return new Set(rows.map(({ number }) => number));
}
