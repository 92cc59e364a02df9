import type { PermitRegistry } from '../../shared/bus/permit-registry.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/**
 * How many streams an account may have at its provider at once, over all engines, and this engine's share of them. A place
 * is taken before a stream is opened and given back after it; one that was just given back stays with this engine for a
 * moment, so that the next reply has it without asking anybody.
 *
 * Limits come from the operator; what a provider says itself (its own refusals) counts for a while on top of them.
 */
export interface ConcurrencyPermit {
  /** Gives it back. Idempotent. */
  release(): void;
}

export interface ConcurrencyPermits {
  /** At once, or null where this engine holds none to spare. */
  tryAcquire(account: string): ConcurrencyPermit | null;
  /** Waits for one, at most `waitMs`; null when there is none. Never rejects: without the bus nobody is held up. */
  acquire(account: string, waitMs: number): Promise<ConcurrencyPermit | null>;
  /** The provider refused the account for its limit: no new place for a while, here and in every engine. */
  reportRefusal(account: string): void;
  /** Places in use by this engine. */
  inUse(account: string): number;
  close(): Promise<void>;
}

export interface ConcurrencyPermitsOptions {
  registry: Pick<PermitRegistry, 'acquire' | 'renew' | 'release' | 'publishFull' | 'onFull'>;
  /** By account; an account without one has no limit that is known. */
  limits: ReadonlyMap<string, number>;
  clock: Clock;
  log: Logger;
}

/** Well within the time after which a place falls away. */
const RENEW_EVERY_MS = 8_000;
/** A place given back is kept at hand so long. */
const IDLE_PERMIT_KEPT_MS = 500;
const RETRY_EVERY_MS = 100;
/** The bus has so long to answer, also where nobody is ready to wait. */
const BUS_DEADLINE_MS = 1_000;
/** After a refusal the provider is believed for so long. */
const REFUSAL_LASTS_MS = 10_000;

interface Held {
  slot: number;
  version: number;
  inUse: boolean;
  /** How often it was used: a wait that began before the last use is over. */
  uses: number;
}

interface Account {
  limit: number;
  held: Map<number, Held>;
  /** Places are taken one at a time: two tries at once would race for the same one. */
  taking: Promise<unknown>;
  unlimited: number;
  fullUntilMs: number;
}

export function createConcurrencyPermits({
  registry: board,
  limits,
  clock,
  log,
}: ConcurrencyPermitsOptions): ConcurrencyPermits {
  const accounts = new Map<string, Account>();
  let closed = false;
  let renewing: Timer | null = null;
  let round = 0;

  board.onFull((account) => believeRefusal(account));
  renewing = clock.after(RENEW_EVERY_MS, () => void renew());

  function accountOf(name: string): Account {
    let account = accounts.get(name);
    if (!account) {
      const limit = limits.get(name) ?? Number.POSITIVE_INFINITY;
      account = {
        limit,
        held: new Map(),
        taking: Promise.resolve(),
        unlimited: 0,
        fullUntilMs: Number.NEGATIVE_INFINITY,
      };
      accounts.set(name, account);
    }
    return account;
  }

  function believeRefusal(name: string): void {
    accountOf(name).fullUntilMs = clock.now() + REFUSAL_LASTS_MS;
  }

  function once(give: () => void): ConcurrencyPermit {
    let given = false;
    return {
      release() {
        if (given) return;
        given = true;
        give();
      },
    };
  }

  function tryTake(name: string): ConcurrencyPermit | null {
    const account = accountOf(name);
    if (closed || clock.now() < account.fullUntilMs) return null;
    if (account.limit === Number.POSITIVE_INFINITY) return unlimited(account);
    for (const held of account.held.values()) if (!held.inUse) return use(name, account, held);
    return null;
  }

  function unlimited(account: Account): ConcurrencyPermit {
    account.unlimited++;
    return once(() => account.unlimited--);
  }

  function use(name: string, account: Account, held: Held): ConcurrencyPermit {
    held.inUse = true;
    const use = ++held.uses;
    return once(() => {
      held.inUse = false;
      clock.after(IDLE_PERMIT_KEPT_MS, () => {
        if (held.uses === use) void giveBack(name, account, held);
      });
    });
  }

  async function giveBack(name: string, account: Account, held: Held): Promise<void> {
    if (account.held.get(held.slot) !== held) return;
    account.held.delete(held.slot);
    await board.release(name, held.slot, held.version).catch(() => {
      // It falls away by itself.
    });
  }

  /** One more place for this engine, or null where all are held. Begins at another place each time, against crowding. */
  async function takeAnother(name: string, account: Account): Promise<ConcurrencyPermit | null> {
    const first = round++;
    for (let step = 0; step < account.limit; step++) {
      const place = (first + step) % account.limit;
      if (account.held.has(place)) continue;
      const version = await board.acquire(name, place);
      if (version === null) continue;
      const held: Held = { slot: place, version, inUse: false, uses: 0 };
      account.held.set(place, held);
      if (!closed) return use(name, account, held);
      await giveBack(name, account, held);
      return null;
    }
    return null;
  }

  async function take(name: string, waitMs: number): Promise<ConcurrencyPermit | null> {
    const account = accountOf(name);
    const giveUpMs = clock.now() + waitMs;
    for (;;) {
      const spare = tryTake(name);
      if (spare) return spare;
      if (closed) return null;
      if (clock.now() >= account.fullUntilMs) {
        let waits = true;
        // Behind a bus that does not answer a queue would form; who has left it by its turn asks nothing.
        const turn = account.taking.then(() => (waits ? (tryTake(name) ?? takeAnother(name, account)) : null));
        account.taking = turn.catch(() => null);
        try {
          const place = await inTime(turn, Math.max(giveUpMs - clock.now(), BUS_DEADLINE_MS));
          if (place) return place;
        } catch (error) {
          waits = false;
          log.warn({ account: name, error: errorText(error) }, 'places cannot be counted; the call goes on');
          return unlimited(account);
        }
      }
      if (clock.now() + RETRY_EVERY_MS > giveUpMs) return null;
      await new Promise<void>((resolve) => clock.after(RETRY_EVERY_MS, resolve));
    }
  }

  /** Rejects after so long; a place that comes later is given back. */
  function inTime(turn: Promise<ConcurrencyPermit | null>, withinMs: number): Promise<ConcurrencyPermit | null> {
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = clock.after(withinMs, () => {
        late = true;
        reject(new Error(`no answer within ${withinMs} ms`));
      });
      turn.then(
        (place) => {
          timer.cancel();
          if (late) place?.release();
          else resolve(place);
        },
        (error) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  }

  async function renew(): Promise<void> {
    for (const [name, account] of accounts) {
      for (const held of account.held.values()) {
        try {
          const version = await board.renew(name, held.slot, held.version);
          // A server that forgot everything has the place free again.
          const again = version ?? (await board.acquire(name, held.slot));
          if (again !== null) held.version = again;
          else {
            account.held.delete(held.slot);
            log.warn({ account: name }, 'a place at a provider went to another engine');
          }
        } catch (error) {
          log.warn({ account: name, error: errorText(error) }, 'a place at a provider could not be renewed');
        }
      }
    }
    if (!closed) renewing = clock.after(RENEW_EVERY_MS, () => void renew());
  }

  return {
    tryAcquire: tryTake,
    acquire: take,
    reportRefusal(name) {
      believeRefusal(name);
      board.publishFull(name);
    },
    inUse(name) {
      const account = accountOf(name);
      let count = account.unlimited;
      for (const held of account.held.values()) if (held.inUse) count++;
      return count;
    },
    async close() {
      closed = true;
      renewing?.cancel();
      await Promise.all(
        [...accounts].flatMap(([name, account]) =>
          [...account.held.values()].map((held) => giveBack(name, account, held)),
        ),
      );
    },
  };
}
