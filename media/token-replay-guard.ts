import type { Clock } from '../shared/clock.ts';
import type { MediaToken } from '../shared/media-token.ts';

export interface TokenReplayGuard {
  isUsed(token: MediaToken): boolean;
  markUsed(token: MediaToken): void;
}

/** Rejects the reuse of a stream token on this engine without a round trip; across engines control checks its nonce. */
export function createTokenReplayGuard(clock: Clock): TokenReplayGuard {
  const expiries = new Map<string, number>();
  let sweepAt = 1000;
  return {
    isUsed: (token) => expiries.has(token.nonce),
    markUsed(token) {
      expiries.set(token.nonce, token.expires_at_ms);
      if (expiries.size < sweepAt) return;
      const wallMs = clock.wall();
      for (const [nonce, expiresAtMs] of expiries) if (expiresAtMs <= wallMs) expiries.delete(nonce);
      sweepAt = Math.max(1000, expiries.size * 2);
    },
  };
}
