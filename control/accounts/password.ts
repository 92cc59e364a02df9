import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { HttpError } from '../http/errors.ts';

/**
 * Passwords as scrypt (RFC 7914) with the numbers of the OWASP Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1. One
 * computation takes 128 MB and a core for a third of a second, so only a few run at once and only a few may wait.
 */
export interface Passwords {
  /** What is stored. `who` is the client's address: one client cannot take every place in the queue. */
  hash(password: string, who: string): Promise<string>;
  /** Takes as long for `null`, a user who is not there, as for one who is. */
  verify(password: string, stored: string | null, who: string): Promise<boolean>;
  /** For codes that are short enough to be guessed from what is stored, but too many for the slow hash. */
  hashCode(code: string, salt: string, who: string): Promise<Buffer>;
}

export interface PasswordOptions {
  /** log2 of N. */
  cost?: number | undefined;
  concurrency?: number;
  maxQueued?: number;
  maxQueuedPerClient?: number;
}

const BLOCK_SIZE = 8;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const CODE_COST = 14;
const MAX_COST = 20;

/** @throws HttpError 429 from every function when the queue is full. */
export function createPasswords({
  cost = 17,
  concurrency: atOnce = 2,
  maxQueued: waiting = 32,
  maxQueuedPerClient: waitingPerClient = 8,
}: PasswordOptions = {}): Passwords {
  const inTurn = createHashQueue({ concurrency: atOnce, maxQueued: waiting, maxQueuedPerClient: waitingPerClient });
  // No password gives these bytes; only the work of comparing with them is wanted.
  const nobody = `scrypt$${cost}$${randomBytes(SALT_BYTES).toString('base64')}$${randomBytes(HASH_BYTES).toString('base64')}`;

  return {
    hash: (password, who) =>
      inTurn(who, async () => {
        const salt = randomBytes(SALT_BYTES);
        const hash = await derive(password, salt, cost);
        return `scrypt$${cost}$${salt.toString('base64')}$${hash.toString('base64')}`;
      }),
    verify: (password, stored, who) =>
      inTurn(who, async () => {
        const parts = parseStored(stored ?? nobody) ?? parseStored(nobody)!;
        const same = timingSafeEqual(await derive(password, parts.salt, parts.cost), parts.hash);
        return same && stored !== null && stored !== '';
      }),
    hashCode: (code, salt, who) => inTurn(who, () => derive(code, Buffer.from(salt), Math.min(CODE_COST, cost))),
  };
}

/** Null for what never was a hash: the password of a user who is gone. */
function parseStored(stored: string): { cost: number; salt: Buffer; hash: Buffer } | null {
  const [kind, cost, salt, hash] = stored.split('$');
  if (kind !== 'scrypt' || !salt || !hash || !(Number(cost) > 0 && Number(cost) <= MAX_COST)) return null;
  const bytes = Buffer.from(hash, 'base64');
  return bytes.length === HASH_BYTES ? { cost: Number(cost), salt: Buffer.from(salt, 'base64'), hash: bytes } : null;
}

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const N = 2 ** cost;
  // OpenSSL needs 128 * N * r bytes and a little.
  const options: ScryptOptions = { N, r: BLOCK_SIZE, p: 1, maxmem: 128 * N * BLOCK_SIZE + 1024 * 1024 };
  // The same characters may be typed as different code points on two keyboards.
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

type Limits = Required<Pick<PasswordOptions, 'concurrency' | 'maxQueued' | 'maxQueuedPerClient'>>;

/** Runs so many at once, lets so many wait, and refuses the rest at once. */
function createHashQueue({ concurrency: atOnce, maxQueued: waiting, maxQueuedPerClient: waitingPerClient }: Limits) {
  const queue: (() => void)[] = [];
  const perClient = new Map<string, number>();
  let running = 0;

  const count = (who: string, change: 1 | -1) => {
    const now = (perClient.get(who) ?? 0) + change;
    if (now === 0) perClient.delete(who);
    else perClient.set(who, now);
  };

  return async function inTurn<Result>(who: string, work: () => Promise<Result>): Promise<Result> {
    const full = running >= atOnce && queue.length >= waiting;
    if (full || (perClient.get(who) ?? 0) >= waitingPerClient) {
      throw new HttpError(429, 'rate limit exceeded; slow down', { headers: { 'Retry-After': '5' } });
    }
    count(who, 1);
    try {
      if (running >= atOnce) await new Promise<void>((go) => queue.push(go));
      else running++;
      try {
        return await work();
      } finally {
        // The place goes to who waits longest, or is free.
        const next = queue.shift();
        if (next) next();
        else running--;
      }
    } finally {
      count(who, -1);
    }
  };
}
