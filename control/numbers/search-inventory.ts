import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { E164_PATTERN } from '../../shared/phone.ts';
import { numberFees } from '../billing/number-fee.ts';
import { listRates } from '../billing/rate-overrides.ts';
import type { Currency } from '../billing/rates.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { NumberSearch } from '../carriers/number-inventory.ts';
import type { Sql } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';
import { concurrencyLimitOf } from '../workspaces/plan.ts';
import type { AvailableNumber } from './number-record.ts';
import type { NumberType } from './number-type.ts';
import { type OfferRow, saveOffers, takenNumbers } from './offer-store.ts';

export interface InventoryDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  carriers: Carriers;
}

export interface AvailableQuery {
  country: string;
  type?: NumberType | undefined;
  contains?: string | undefined;
  limit: number;
}

export const carrierUnavailable = () => new HttpError(502, 'carrier did not answer; try again shortly');

/**
 * Searches the inventories of all carriers at once, and returns what they have in turn. A carrier that does not answer is left
 * out. The service's fee stands beside each number; one whose price nobody knows is not offered.
 * @throws HttpError 502 when no carrier answered.
 */
export async function searchInventory(
  { sql, clock, log, carriers }: InventoryDeps,
  workspaceId: string,
  { country, type, contains, limit }: AvailableQuery,
): Promise<AvailableNumber[]> {
  // Rented by contract with documents, not from an inventory.
  if (type === 'series_140' || type === 'series_160') return [];
  const query: NumberSearch = { country, type, contains, limit };
  const asked = [...carriers.values()].flatMap(({ name, numbers }) => (numbers ? { name, numbers } : []));
  let failed = 0;
  const found = await Promise.all(
    asked.map(async ({ name, numbers }): Promise<OfferRow[]> => {
      try {
        const offers = await numbers.search(query);
        return offers.filter(fits).map((offer) => ({ ...offer, provider: name }));
      } catch (error) {
        failed++;
        log.warn({ provider: name, error: errorText(error) }, 'searching numbers at a carrier failed');
        return [];
      }
    }),
  );
  if (asked.length > 0 && failed === asked.length) throw carrierUnavailable();

  const offers = inTurn(found);
  const [taken, rates, workspace] = await Promise.all([
    takenNumbers(
      sql,
      offers.map(({ number }) => number),
    ),
    listRates(sql),
    concurrencyLimitOf(sql, workspaceId),
  ]);
  const currency = (workspace?.currency ?? 'INR') as Currency;
  const priced = offers
    .filter(({ number }) => !taken.has(number))
    .flatMap((offer) => {
      const fees = numberFees(rates, currency, offer);
      return fees ? [{ offer, fees }] : [];
    })
    .slice(0, limit);
  await saveOffers(
    sql,
    priced.map(({ offer }) => offer),
    clock.wall(),
  );
  return priced.map(({ offer: { price: _price, ...offer }, fees }) => ({ ...offer, ...fees, currency }));

  function fits(offer: { number: string; country: string; type: string }): boolean {
    return (
      E164_PATTERN.test(offer.number) &&
      offer.country === country &&
      (type === undefined || offer.type === type) &&
      offer.number.includes(contains ?? '')
    );
  }
}

/** One of each list after the other, each number once. */
function inTurn(lists: readonly (readonly OfferRow[])[]): OfferRow[] {
  const byNumber = new Map<string, OfferRow>();
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let at = 0; at < longest; at++) {
    for (const list of lists) {
      const offer = list[at];
      if (offer && !byNumber.has(offer.number)) byNumber.set(offer.number, offer);
    }
  }
  return [...byNumber.values()];
}
