import type { Clock } from '../../shared/clock.ts';
import type { Principal } from './authenticate.ts';

/**
 * What an API key stands for is believed for a quarter of a second from the moment the database was asked. Nobody notices: whoever
 * takes a key or a workspace away waits this long after the commit before it says that it is done (`leasesOver`). So, whichever
 * process is asked, the first request after that answer finds out.
 */

const TTL_MS = 240;
/** Longer, as timers and clocks are not exact. */
const EXPIRY_WAIT_MS = 275;
const MAX_ENTRIES = 5_000;

/** To be awaited after the commit that ends a key or the activity of a workspace, and before that is answered. */
export function credentialCachesExpired(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(EXPIRY_WAIT_MS, resolve);
  });
}

export interface CredentialCache {
  /** Who it was when the database was last asked, if that is not long ago. */
  get(credential: string): Principal | null;
  /** Before the database is asked; what it answers is handed to the function. Only active workspaces are believed in. */
  beginLookup(credential: string): (caller: Principal) => void;
  /** In this process nothing is believed from here on that was asked before. */
  clear(): void;
}

export function createCredentialCache(clock: Pick<Clock, 'now'>): CredentialCache {
  let leases = new Map<string, { caller: Principal; askedMs: number }>();

  return {
    get(credential) {
      const lease = leases.get(credential);
      if (!lease) return null;
      if (clock.now() - lease.askedMs < TTL_MS) return lease.caller;
      leases.delete(credential);
      return null;
    },

    beginLookup(credential) {
      const askedMs = clock.now();
      const asked = leases;
      return (caller) => {
        // Activation needs no waiting, and what was asked before `forget` may be out of date.
        if (caller.workspace_state !== 'active' || asked !== leases) return;
        if (leases.size >= MAX_ENTRIES) leases.clear();
        leases.set(credential, { caller, askedMs });
      };
    },

    clear() {
      leases = new Map();
    },
  };
}
