import { LRUCache } from 'lru-cache';
import { type Clock, pause } from '../../shared/clock.ts';
import type { Principal } from './authenticate.ts';

/**
 * Caches what an API key stands for, for a quarter of a second from the moment the database was asked. A request that revokes a key
 * or deactivates a workspace waits longer than that after its commit before it is answered (`credentialCachesExpired`). So the
 * first request after that answer is refused, whichever process it reaches.
 */

const TTL_MS = 240;
/** More than the TTL, as timers and clocks are not exact. */
const EXPIRY_WAIT_MS = 275;
const MAX_ENTRIES = 5_000;

/** Await it after the commit that revokes a key or deactivates a workspace, and before the request is answered. */
export function credentialCachesExpired(clock: Clock): Promise<void> {
  return pause(clock, EXPIRY_WAIT_MS);
}

export interface CredentialCache<Found> {
  /** Returns who it was when the database was last asked, or null when that is too long ago. */
  get(credential: string): Found | null;
  /** Call it before the database is asked, and the function with the result. Only active workspaces are cached. */
  beginLookup(credential: string): (principal: Found) => void;
  /** Drops everything that was asked before, look-ups under way included. In this process only. */
  clear(): void;
}

export function createCredentialCache<Found extends Principal = Principal>(
  clock: Pick<Clock, 'now'>,
): CredentialCache<Found> {
  const cache = new LRUCache<string, { principal: Found; askedMs: number }>({ max: MAX_ENTRIES });
  let generation = 0;

  return {
    get(credential) {
      const entry = cache.get(credential);
      return entry && clock.now() - entry.askedMs < TTL_MS ? entry.principal : null;
    },

    beginLookup(credential) {
      const askedMs = clock.now();
      const begunIn = generation;
      return (principal) => {
        // Activation takes effect at once, so inactive workspaces are not cached; nor is what was asked before `clear`.
        if (principal.workspace_state !== 'active' || begunIn !== generation) return;
        cache.set(credential, { principal, askedMs });
      };
    },

    clear() {
      generation++;
      cache.clear();
    },
  };
}
