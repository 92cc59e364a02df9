import type { PermitRegistry } from '../../shared/bus/permit-registry.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/**
 * Limits the concurrent streams of an account at its provider, over all engines. A stream holds one permit of the account
 * while it is open. A released permit goes to the stream of this engine that has waited longest, or stays for a moment, so that the
 * next reply needs no request to the bus.
 *
 * A permit costs one request to the bus where the account has a free one, and while the account is full the bus is asked once every
 * RETRY_EVERY_MS, however many streams wait and however high the limit is. Between engines, the first one to ask gets a permit that
 * becomes free.
 *
 * Limits come from the operator; a provider's own refusal closes the account for a while on top of them. Only the bus is needed:
 * control has no part in it. Without a reply of the bus every stream is allowed and not counted, since calls go on without it.
 */
export interface ConcurrencyPermit {
  /** Idempotent. */
  release(): void;
}

export interface ConcurrencyPermits {
  /** Returns an idle permit of this engine at once, or null: also while others wait for one. */
  tryAcquire(account: string): ConcurrencyPermit | null;
  /** Waits for a permit, at most `waitMs`, in the order of the calls; null when there is none. Never rejects. */
  acquire(account: string, waitMs: number): Promise<ConcurrencyPermit | null>;
  /** The provider refused the account for its limit: no engine acquires a permit of it for a while. */
  reportRefusal(account: string): void;
  /** Permits in use in this engine. */
  inUse(account: string): number;
  close(): Promise<void>;
}

export interface ConcurrencyPermitsOptions {
  registry: Pick<PermitRegistry, 'acquire' | 'held' | 'renew' | 'release' | 'publishFull' | 'onFull'>;
  /** By account; an account that is missing is not limited. */
  limits: ReadonlyMap<string, number>;
  clock: Clock;
  log: Logger;
}

/** A third of the time after which a permit expires. */
export const RENEW_EVERY_MS = 8_000;
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
  /** Gives it back; null while it is in use. */
  idle: Timer | null;
}

interface Waiting {
  giveUpMs: number;
  /** The bus has replied since, and no permit was free; or the account is closed. */
  refused: boolean;
  timer: Timer;
  resolve(permit: ConcurrencyPermit | null): void;
}

interface Account {
  name: string;
  limit: number;
  held: Map<number, Held>;
  /** In the order in which they came. */
  waiting: Waiting[];
  /** Slots that other engines were last known to hold. */
  taken: Set<number>;
  /** Where the next search begins: at another slot each time, to spread the engines. */
  next: number;
  /** The bus is asked for one permit after the other: two requests at once would compete. */
  asking: boolean;
  retry: Timer | null;
  /** Permits in use that are not counted on the bus. */
  uncounted: number;
  closedUntilMs: number;
}

export function createConcurrencyPermits(options: ConcurrencyPermitsOptions): ConcurrencyPermits {
  const { registry, limits, clock, log } = options;
  const accounts = new Map<string, Account>();
  let closed = false;
  let renewal: Timer = clock.after(RENEW_EVERY_MS, () => void renewAll());

  registry.onFull(closeForAWhile);

  function accountOf(name: string): Account {
    let account = accounts.get(name);
    if (!account) {
      const limit = limits.get(name) ?? Number.POSITIVE_INFINITY;
      account = {
        ...{ name, limit, held: new Map(), waiting: [], taken: new Set() },
        next: Number.isFinite(limit) ? Math.floor(Math.random() * limit) : 0,
        ...{ asking: false, retry: null, uncounted: 0, closedUntilMs: Number.NEGATIVE_INFINITY },
      };
      accounts.set(name, account);
    }
    return account;
  }

  const isClosed = (account: Account) => closed || clock.now() < account.closedUntilMs;

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

  function uncounted(account: Account): ConcurrencyPermit {
    account.uncounted++;
    return createPermit(() => account.uncounted--);
  }

  function idlePermit(account: Account): ConcurrencyPermit | null {
    if (isClosed(account)) return null;
    if (account.limit === Number.POSITIVE_INFINITY) return uncounted(account);
    for (const held of account.held.values()) if (!held.inUse) return use(account, held);
    return null;
  }

  function use(account: Account, held: Held): ConcurrencyPermit {
    held.inUse = true;
    held.idle?.cancel();
    held.idle = null;
    return createPermit(() => {
      held.inUse = false;
      // It may be lost by now.
      if (account.held.get(held.slot) !== held) return;
      serveWaiting(account);
      if (!held.inUse) giveBackLater(account, held);
    });
  }

  /** Gives idle permits to those who wait, in order. */
  function serveWaiting(account: Account): void {
    while (account.waiting.length > 0) {
      const permit = idlePermit(account);
      if (!permit) return;
      settle(account, account.waiting[0]!, permit);
    }
  }

  function settle(account: Account, waiting: Waiting, permit: ConcurrencyPermit | null): void {
    account.waiting.splice(account.waiting.indexOf(waiting), 1);
    waiting.timer.cancel();
    if (account.waiting.length === 0) {
      account.retry?.cancel();
      account.retry = null;
    }
    waiting.resolve(permit);
  }

  function giveBackLater(account: Account, held: Held): void {
    held.idle?.cancel();
    held.idle = clock.after(IDLE_PERMIT_KEPT_MS, () => void giveBack(account, held));
  }

  async function giveBack(account: Account, held: Held): Promise<void> {
    held.idle?.cancel();
    if (account.held.get(held.slot) !== held) return;
    account.held.delete(held.slot);
    await registry.release(account.name, held.slot, held.version).catch(() => {
      // It expires by itself.
    });
  }

  function acquire(name: string, waitMs: number): Promise<ConcurrencyPermit | null> {
    const account = accountOf(name);
    return new Promise((resolve) => {
      const nowMs = clock.now();
      const idle = account.waiting.length === 0 ? idlePermit(account) : null;
      if (idle || closed) {
        resolve(idle);
        return;
      }
      const timer = clock.after(waitMs, () => onWaited(account, waiting, nowMs));
      // With a retry ahead, the bus has just replied that the account is full.
      const refused = isClosed(account) || account.retry !== null;
      const waiting: Waiting = { giveUpMs: nowMs + waitMs, refused, timer, resolve };
      account.waiting.push(waiting);
      if (!account.retry) void ask(account);
    });
  }

  /** Its time is over: there is no permit, or it is not known whether there is one, since the bus has not replied. */
  function onWaited(account: Account, waiting: Waiting, sinceMs: number): void {
    if (waiting.refused) {
      settle(account, waiting, null);
      return;
    }
    const leftMs = sinceMs + BUS_DEADLINE_MS - clock.now();
    if (leftMs > 0) waiting.timer = clock.after(leftMs, () => onWaited(account, waiting, sinceMs));
    else goUncounted(account, waiting, 'no reply of the bus');
  }

  function goUncounted(account: Account, waiting: Waiting, error: string): void {
    log.warn({ account: account.name, error }, 'concurrency permits unavailable, stream not counted');
    settle(account, waiting, uncounted(account));
  }

  /** Asks the bus for permits for those who wait now, and again later while some are left. */
  async function ask(account: Account): Promise<void> {
    account.retry = null;
    if (account.asking || closed) return;
    const asked = [...account.waiting];
    account.asking = true;
    try {
      if (!isClosed(account)) await take(account, asked.length);
      onAsked(account, asked);
    } catch (error) {
      for (const waiting of asked) {
        if (account.waiting.includes(waiting)) goUncounted(account, waiting, errorText(error));
      }
    } finally {
      account.asking = false;
    }
    if (account.waiting.length === 0 || closed) return;
    // Who came meanwhile was not asked for.
    if (account.waiting.some(({ refused }) => !refused)) void ask(account);
    else account.retry = clock.after(RETRY_EVERY_MS, () => void ask(account));
  }

  function onAsked(account: Account, asked: Waiting[]): void {
    serveWaiting(account);
    for (const waiting of asked) {
      if (!account.waiting.includes(waiting)) continue;
      waiting.refused = true;
      if (clock.now() >= waiting.giveUpMs) settle(account, waiting, null);
    }
    for (const held of account.held.values()) if (!held.inUse && !held.idle) giveBackLater(account, held);
  }

  /**
   * Takes up to `count` permits that are free on the bus: those that are free as far as is known, at once, and where another engine
   * was faster or none is known, those that a look shows.
   */
  async function take(account: Account, count: number): Promise<void> {
    const got = await takeKnown(account, count);
    if (got === count || account.held.size === account.limit) return;
    account.taken = new Set(await registry.held(account.name));
    await takeKnown(account, count - got);
  }

  async function takeKnown(account: Account, count: number): Promise<number> {
    const { name, held, taken, limit } = account;
    const free: number[] = [];
    for (let step = 0; step < limit && free.length < count; step++) {
      const slot = (account.next + step) % limit;
      if (!held.has(slot) && !taken.has(slot)) free.push(slot);
    }
    account.next = ((free.at(-1) ?? account.next) + 1) % limit;
    const versions = await Promise.allSettled(free.map((slot) => registry.acquire(name, slot)));
    let got = 0;
    for (const [index, settled] of versions.entries()) {
      const slot = free[index]!;
      if (settled.status === 'rejected') continue;
      if (settled.value === null) taken.add(slot);
      else {
        got++;
        held.set(slot, { slot, version: settled.value, inUse: false, idle: null });
      }
    }
    const failed = versions.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed && got === 0) throw failed.reason;
    return got;
  }

  /** Renews all permits at once: one after the other, a slow bus would let the last ones expire. */
  async function renewAll(): Promise<void> {
    await Promise.all(
      [...accounts.values()].flatMap((account) => [...account.held.values()].map((held) => renew(account, held))),
    );
    if (!closed) renewal = clock.after(RENEW_EVERY_MS, () => void renewAll());
  }

  async function renew(account: Account, held: Held): Promise<void> {
    const { name } = account;
    const isHeld = () => account.held.get(held.slot) === held;
    try {
      const renewed = await registry.renew(name, held.slot, held.version);
      // After a restart the server has lost all permits, so the slot may be free.
      const version = renewed ?? (isHeld() ? await registry.acquire(name, held.slot) : null);
      if (version !== null) {
        held.version = version;
        // What was given back meanwhile was an earlier version.
        if (!isHeld()) await registry.release(name, held.slot, version);
        return;
      }
      if (!isHeld()) return;
      account.held.delete(held.slot);
      log.warn({ account: name }, 'concurrency permit lost to another engine');
    } catch (error) {
      log.warn({ account: name, error: errorText(error) }, 'concurrency permit could not be renewed');
    }
  }

  return {
    tryAcquire(name) {
      const account = accountOf(name);
      return account.waiting.length === 0 ? idlePermit(account) : null;
    },
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
      for (const account of accounts.values())
        for (const waiting of [...account.waiting]) settle(account, waiting, null);
      await Promise.all(
        [...accounts.values()].flatMap((account) => [...account.held.values()].map((held) => giveBack(account, held))),
      );
    },
  };
}
