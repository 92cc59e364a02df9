import { createHash } from 'node:crypto';

/** The numbers that 32 bits of a hash can have. */
const HASHES = 2 ** 32;

/**
 * Whether a call belongs to the share of an agent's calls that uses its canary. The same call always gets the same answer, and a call
 * that a share has is in every larger one.
 */
export function isInShare(agentId: string, callId: string, percent: number): boolean {
  const hash = createHash('sha256').update(`${agentId} ${callId}`).digest().readUInt32BE(0);
  return (hash / HASHES) * 100 < percent;
}
