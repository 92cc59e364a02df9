import type { ConcurrencyPermits } from '../../media/provider/concurrency-permits.ts';
import { PERMIT_TTL_MS, type PermitRegistry } from '../../shared/bus/permit-registry.ts';
import type { Clock } from '../../shared/clock.ts';

/** Permits that are always free at once. */
export function unlimitedPermits(): ConcurrencyPermits {
  return {
    tryAcquire: () => ({ release() {} }),
    acquire: async () => null,
    reportRefusal() {},
    inUse: () => 0,
    close: async () => {},
  };
}

/** The permits of a bus in memory, as the bus stores them, for engines on the virtual clock. */
export interface MemoryPermits {
  registry: Pick<PermitRegistry, 'acquire' | 'held' | 'renew' | 'release' | 'publishFull' | 'onFull'>;
  /** Requests of each kind since the last call. */
  takeRequests(): Record<'acquire' | 'held' | 'renew' | 'release', number>;
  /** Held permits that have not expired. */
  live(): number;
  /** The server starts again and has lost everything. */
  restart(): void;
}

export function createMemoryPermits(clock: Clock): MemoryPermits {
  let permits = new Map<string, { version: number; expiresMs: number }>();
  let version = 0;
  let requests = { acquire: 0, held: 0, renew: 0, release: 0 };
  const listeners: ((account: string) => void)[] = [];
  const key = (account: string, permit: number) => `${account}.${permit}`;

  function get(account: string, permit: number) {
    const stored = permits.get(key(account, permit));
    return stored && stored.expiresMs > clock.now() ? stored : null;
  }

  async function put(account: string, permit: number, previous: number): Promise<number | null> {
    if ((get(account, permit)?.version ?? 0) !== previous) return null;
    permits.set(key(account, permit), { version: ++version, expiresMs: clock.now() + PERMIT_TTL_MS });
    return version;
  }

  return {
    registry: {
      acquire(account, permit) {
        requests.acquire++;
        return put(account, permit, 0);
      },
      async held(account) {
        requests.held++;
        const all = [...permits].filter(
          ([name, { expiresMs }]) => expiresMs > clock.now() && name.startsWith(`${account}.`),
        );
        return all.map(([name]) => Number(name.split('.').at(-1)));
      },
      renew(account, permit, previous) {
        requests.renew++;
        return put(account, permit, previous);
      },
      async release(account, permit, previous) {
        requests.release++;
        if (get(account, permit)?.version === previous) permits.delete(key(account, permit));
      },
      publishFull: (account) => {
        for (const listener of listeners) listener(account);
      },
      onFull: (listener) => void listeners.push(listener),
    },
    takeRequests() {
      const taken = requests;
      requests = { acquire: 0, held: 0, renew: 0, release: 0 };
      return taken;
    },
    live: () => [...permits.values()].filter(({ expiresMs }) => expiresMs > clock.now()).length,
    restart() {
      permits = new Map();
    },
  };
}
