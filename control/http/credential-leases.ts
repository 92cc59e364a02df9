import type { Clock } from '../../shared/clock.ts';
import type { Caller } from './authenticate.ts';

/**
 * What an API key stands for is believed for a quarter of a second from the moment the database was asked. Nobody notices: whoever
 * takes a key or a workspace away waits this long after the commit before it says that it is done (`leasesOver`). So, whichever
 * process is asked, the first request after that answer finds out.
 */

const LEASED_MS = 240;
/** Longer, as timers and clocks are not exact. */
const OVER_AFTER_MS = 275;
const MOST_LEASES = 5_000;

/** To be awaited after the commit that ends a key or the activity of a workspace, and before that is answered. */
export function leasesOver(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(OVER_AFTER_MS, resolve);
  });
}

export interface CredentialLeases {
  /** Who it was when the database was last asked, if that is not long ago. */
  find(credential: string): Caller | null;
  /** Before the database is asked; what it answers is handed to the function. Only active workspaces are believed in. */
  ask(credential: string): (caller: Caller) => void;
  /** In this process nothing is believed from here on that was asked before. */
  forget(): void;
}

export function createCredentialLeases(clock: Pick<Clock, 'now'>): CredentialLeases {
  let leases = new Map<string, { caller: Caller; askedMs: number }>();

  return {
    find(credential) {
      const lease = leases.get(credential);
      if (!lease) return null;
      if (clock.now() - lease.askedMs < LEASED_MS) return lease.caller;
      leases.delete(credential);
      return null;
    },

    ask(credential) {
      const askedMs = clock.now();
      const asked = leases;
      return (caller) => {
        // Activation needs no waiting, and what was asked before `forget` may be out of date.
        if (caller.workspace_state !== 'active' || asked !== leases) return;
        if (leases.size >= MOST_LEASES) leases.clear();
        leases.set(credential, { caller, askedMs });
      };
    },

    forget() {
      leases = new Map();
    },
  };
}
