import type { PermitRegistry } from '../../shared/bus/permit-registry.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/**
 * Limits the concurrent streams of an account at its provider, over all engines. A stream holds one permit of the account
 * while it is open. A released permit stays with this engine for a moment, so that the next reply needs no request to the bus.
 *
 * Limits come from the operator; a provider's own refusal closes the account for a while on top of them.
 */
export interface ConcurrencyPermit {
  /** Idempotent. */
  release(): void;
}

export interface ConcurrencyPermits {
  /** Returns an idle permit of this engine at once, or null. */
  tryAcquire(account: string): ConcurrencyPermit | null;
  /** Waits for a permit, at most `waitMs`; null when there is none. Never rejects: without the bus every stream is allowed. */
  acquire(account: string, waitMs: number): Promise<ConcurrencyPermit | null>;
  /** The provider refused the account for its limit: no engine acquires a permit of it for a while. */
  reportRefusal(account: string): void;
  /** Permits in use in this engine. */
  inUse(account: string): number;
  close(): Promise<void>;
}

export interface ConcurrencyPermitsOptions {
  registry: Pick<PermitRegistry, 'acquire' | 'renew' | 'release' | 'publishFull' | 'onFull'>;
  /** By account; an account that is missing is not limited. */
  limits: ReadonlyMap<string, number>;
  clock: Clock;
  log: Logger;
}

/** A third of the time after which a permit expires. */
const RENEW_EVERY_MS = 8_000;
/** How long this engine keeps a released permit. */
const IDLE_PERMIT_KEPT_MS = 500;
const RETRY_EVERY_MS = 100;
/** Least time the bus has to reply, also when the caller does not wait for a permit. */
const BUS_DEADLINE_MS = 1_000;
/** How long an account stays closed after a refusal. */
const REFUSAL_LASTS_MS = 10_000;

/** A permit that this engine holds on the bus. */
interface Held {
  /** 0 to the account's limit - 1. */
  slot: number;
  version: number;
  inUse: boolean;
  /** Counts uses, so that the release timer of an earlier use does nothing. */
  uses: number;
}

interface Account {
  limit: number;
  held: Map<number, Held>;
  /** Requests to the bus run one after the other: two at once would compete for the same slot. */
  lastRequest: Promise<unknown>;
  /** Permits in use that are not counted on the bus. */
  uncounted: number;
  closedUntilMs: number;
}

export function createConcurrencyPermits(options: ConcurrencyPermitsOptions): ConcurrencyPermits {
  const { registry, limits, clock, log } = options;
  const accounts = new Map<string, Account>();
  let closed = false;
  let renewal: Timer = clock.after(RENEW_EVERY_MS, () => void renewAll());
  let round = 0;

  registry.onFull(closeForAWhile);

  function accountOf(name: string): Account {
    let account = accounts.get(name);
    if (!account) {
      account = {
        limit: limits.get(name) ?? Number.POSITIVE_INFINITY,
        held: new Map(),
        lastRequest: Promise.resolve(),
        uncounted: 0,
        closedUntilMs: Number.NEGATIVE_INFINITY,
      };
      accounts.set(name, account);
    }
    return account;
  }

  function closeForAWhile(name: string): void {
    accountOf(name).closedUntilMs = clock.now() + REFUSAL_LASTS_MS;
  }

  function createPermit(onRelease: () => void): ConcurrencyPermit {
    let released = false;
    return {
      release() {
        if (released) return;
        released = true;
        onRelease();
      },
    };
  }

  function tryAcquire(name: string): ConcurrencyPermit | null {
    const account = accountOf(name);
    if (closed || clock.now() < account.closedUntilMs) return null;
    if (account.limit === Number.POSITIVE_INFINITY) return uncounted(account);
    for (const held of account.held.values()) if (!held.inUse) return use(name, account, held);
    return null;
  }

  function uncounted(account: Account): ConcurrencyPermit {
    account.uncounted++;
    return createPermit(() => account.uncounted--);
  }

  function use(name: string, account: Account, held: Held): ConcurrencyPermit {
    held.inUse = true;
    const use = ++held.uses;
    return createPermit(() => {
      held.inUse = false;
      clock.after(IDLE_PERMIT_KEPT_MS, () => {
        if (held.uses === use) void giveBack(name, account, held);
      });
    });
  }

  async function giveBack(name: string, account: Account, held: Held): Promise<void> {
    if (account.held.get(held.slot) !== held) return;
    account.held.delete(held.slot);
    await registry.release(name, held.slot, held.version).catch(() => {
      // It expires by itself.
    });
  }

  /** Requests one more permit from the bus; null where all are held. Starts at another slot each time, to spread the engines. */
  async function request(name: string, account: Account): Promise<ConcurrencyPermit | null> {
    const first = round++;
    for (let step = 0; step < account.limit; step++) {
      const slot = (first + step) % account.limit;
      if (account.held.has(slot)) continue;
      const version = await registry.acquire(name, slot);
      if (version === null) continue;
      const held: Held = { slot, version, inUse: false, uses: 0 };
      account.held.set(slot, held);
      if (!closed) return use(name, account, held);
      await giveBack(name, account, held);
      return null;
    }
    return null;
  }

  async function acquire(name: string, waitMs: number): Promise<ConcurrencyPermit | null> {
    const account = accountOf(name);
    const giveUpMs = clock.now() + waitMs;
    for (;;) {
      const idle = tryAcquire(name);
      if (idle) return idle;
      if (closed) return null;
      if (clock.now() >= account.closedUntilMs) {
        let waiting = true;
        // While the bus does not reply, requests queue up; one that was given up does nothing in its turn.
        const requested = account.lastRequest.then(() =>
          waiting ? (tryAcquire(name) ?? request(name, account)) : null,
        );
        account.lastRequest = requested.catch(() => null);
        try {
          const permit = await withinTime(requested, Math.max(giveUpMs - clock.now(), BUS_DEADLINE_MS));
          if (permit) return permit;
        } catch (error) {
          waiting = false;
          log.warn({ account: name, error: errorText(error) }, 'concurrency permits unavailable, stream not counted');
          return uncounted(account);
        }
      }
      if (clock.now() + RETRY_EVERY_MS > giveUpMs) return null;
      await new Promise<void>((resolve) => clock.after(RETRY_EVERY_MS, resolve));
    }
  }

  /** Rejects after `limitMs`; a permit that comes later is released. */
  function withinTime(
    requested: Promise<ConcurrencyPermit | null>,
    limitMs: number,
  ): Promise<ConcurrencyPermit | null> {
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = clock.after(limitMs, () => {
        late = true;
        reject(new Error(`no reply within ${limitMs} ms`));
      });
      requested.then(
        (permit) => {
          timer.cancel();
          if (late) permit?.release();
          else resolve(permit);
        },
        (error) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  }

  async function renewAll(): Promise<void> {
    for (const [name, account] of accounts) {
      for (const held of account.held.values()) await renew(name, account, held);
    }
    if (!closed) renewal = clock.after(RENEW_EVERY_MS, () => void renewAll());
  }

  async function renew(name: string, account: Account, held: Held): Promise<void> {
    try {
      const renewed = await registry.renew(name, held.slot, held.version);
      // After a restart the server has lost all permits, so the slot may be free.
      const version = renewed ?? (await registry.acquire(name, held.slot));
      if (version !== null) {
        held.version = version;
        return;
      }
      account.held.delete(held.slot);
      log.warn({ account: name }, 'concurrency permit lost to another engine');
    } catch (error) {
      log.warn({ account: name, error: errorText(error) }, 'concurrency permit could not be renewed');
    }
  }

  return {
    tryAcquire,
    acquire,
    reportRefusal(name) {
      closeForAWhile(name);
      registry.publishFull(name);
    },
    inUse(name) {
      const account = accountOf(name);
      let count = account.uncounted;
      for (const held of account.held.values()) if (held.inUse) count++;
      return count;
    },
    async close() {
      closed = true;
      renewal.cancel();
      await Promise.all(
        [...accounts].flatMap(([name, account]) =>
          [...account.held.values()].map((held) => giveBack(name, account, held)),
        ),
      );
    },
  };
}
