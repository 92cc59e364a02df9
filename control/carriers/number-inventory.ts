/**
 * The numbers that a carrier rents out, and those that the account has. The port knows numbers in E.164 only; ids, digits and
 * currencies of a carrier stay in its adapter. No request is repeated inside: whoever buys looks the number up instead.
 */
export interface NumberInventory {
  /** Numbers for voice that can be bought without documents; nothing found is an empty list. @throws CarrierError */
  search(query: NumberSearch): Promise<NumberOffer[]>;
  /**
   * Buys one number, with its calls pointed at this service. Never throws: without a certain answer the outcome is `unknown`, and
   * `find` shows what happened.
   */
  buy(order: NumberOrder): Promise<BuyOutcome>;
  /**
   * The number as the account has it; null when the account does not have it. `tag` is the order's: some carriers know an order
   * before they list its number. @throws CarrierError
   */
  find(number: string, tag?: string): Promise<HeldNumber | null>;
  /**
   * Every number of the account, as it is charged for; `signal` ends a long list. @throws CarrierError, so that a part is never
   * taken for all of them
   */
  list(signal?: AbortSignal): Promise<HeldNumber[]>;
  /**
   * Sends the number's inbound calls to this service. Repeating it changes nothing.
   * @throws CarrierError also when the account does not have the number.
   */
  pointCalls(number: string): Promise<void>;
  /**
   * Gives the number up, and an order of it that is not decided; one that the account does not have is released already.
   * @throws CarrierError
   */
  release(number: string, tag?: string): Promise<void>;
}

/** As the API calls them; the Indian series are rented by contract, not by search. */
export type OfferedType = 'local' | 'mobile' | 'toll_free';

export interface NumberSearch {
  /** Two letters. */
  country: string;
  /** Missing: every type. */
  type?: OfferedType | undefined;
  /** Digits that the number has; a carrier may take them for its beginning. */
  contains?: string | undefined;
  /** 50 at most; a carrier may return more, or fewer. */
  limit: number;
}

export interface NumberOffer {
  /** E.164. */
  number: string;
  country: string;
  type: OfferedType;
  /** Null: the carrier names no price. */
  price: NumberPrice | null;
}

/** In whole units of the currency, with fractions. */
export interface NumberPrice {
  /** For a month. */
  monthly: number;
  /** Once. */
  setup: number;
  currency: 'INR' | 'USD' | 'EUR';
}

export interface NumberOrder {
  number: string;
  country: string;
  /** Names the order at the carrier, where it can be named. */
  tag: string;
}

export interface HeldNumber {
  /** E.164. */
  number: string;
  /** `pending`: ordered, and the carrier has not decided yet. */
  state: 'held' | 'pending';
}

export type BuyOutcome =
  | { outcome: 'bought' }
  /** The carrier has the order and decides later; `find` shows what became of it. */
  | { outcome: 'pending'; reason: string }
  /** Certainly not bought. `gone`: somebody else has it; `refused`: documents, credit, the account. */
  | { outcome: 'gone' | 'refused'; reason: string }
  | { outcome: 'unknown'; reason: string };

/** Runs a purchase; a `CarrierError` without an answer leaves its outcome unknown. */
export async function buyOutcome(buy: () => Promise<BuyOutcome>): Promise<BuyOutcome> {
  try {
    return await buy();
  } catch (error) {
    return { outcome: 'unknown', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** An amount as carriers write it; null when it is none. */
export function amountOf(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : null;
}

/** The objects of a list in a carrier's response. */
export const objectsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((each) => each !== null && typeof each === 'object' && !Array.isArray(each)) : [];
