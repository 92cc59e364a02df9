import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { HttpError } from '../http/errors.ts';

/**
 * Passwords as Argon2id (RFC 9106) with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane.
 * Hashing takes a core, so only a few run at once and only a few may wait. Hashes made by scrypt before are still verified.
 */
export interface Passwords {
  /** Returns what is stored. `who` is the client's address: one client cannot fill the queue. */
  hash(password: string, who: string): Promise<string>;
  /** Takes as long for `null`, a user who does not exist, as for one who does. */
  verify(password: string, stored: string | null, who: string): Promise<boolean>;
  /** Whether the hash was made with another algorithm or other parameters than today's. */
  needsRehash(stored: string): boolean;
  /** Hashes a recovery code: too short for a fast hash, too many of them for the slow one. */
  hashCode(code: string, salt: string, who: string): Promise<Buffer>;
}

export interface PasswordOptions {
  /** Of one hash, also of a recovery code, there in a power of two; fewer for tests. */
  memoryKib?: number | undefined;
  concurrency?: number;
  maxQueued?: number;
  maxQueuedPerClient?: number;
}

const PASSES = 2;
const LANES = 1;
const MAX_SCRYPT_COST = 20;

/** @throws HttpError 429 from every function when the queue is full. */
export function createPasswords({
  memoryKib = 19_456,
  concurrency = 2,
  maxQueued = 32,
  maxQueuedPerClient = 8,
}: PasswordOptions = {}): Passwords {
  const inTurn = createHashQueue({ concurrency, maxQueued, maxQueuedPerClient });
  const parameters = { memoryCost: memoryKib, timeCost: PASSES, parallelism: LANES };
  // With r = 8, scrypt takes N KiB (RFC 7914, section 2): 16 MiB by default.
  const codeCost = Math.floor(Math.log2(memoryKib));
  const prefix = `$argon2id$v=19$m=${memoryKib},t=${PASSES},p=${LANES}$`;
  const hashOf = (password: string) => hash(normalized(password), parameters);
  let nobody: Promise<string> | null = null;

  return {
    hash: (password, who) => inTurn(who, () => hashOf(password)),
    verify: (password, stored, who) =>
      inTurn(who, async () => {
        if (stored?.startsWith('scrypt$')) return verifyScrypt(password, stored);
        const known = stored?.startsWith('$argon2') === true;
        // Without a hash only the work of comparing is wanted: no password gives this one.
        if (!known) nobody ??= hashOf(randomBytes(32).toString('hex'));
        const fits = await verify(known ? stored : await nobody!, normalized(password));
        return known && fits;
      }),
    needsRehash: (stored) => !stored.startsWith(prefix),
    hashCode: (code, salt, who) => inTurn(who, () => scryptHash(code, Buffer.from(salt), codeCost)),
  };
}

/** The same characters may be typed as different code points on two keyboards. */
const normalized = (password: string): string => password.normalize('NFKC');

/** @param stored `scrypt$<log2 N>$<salt>$<hash>`, the last two in base 64. */
async function verifyScrypt(password: string, stored: string): Promise<boolean> {
  const [, cost, salt = '', expected = ''] = stored.split('$');
  const bytes = Buffer.from(expected, 'base64');
  if (!(Number(cost) > 0 && Number(cost) <= MAX_SCRYPT_COST) || bytes.length !== 32) return false;
  return timingSafeEqual(await scryptHash(password, Buffer.from(salt, 'base64'), Number(cost)), bytes);
}

function scryptHash(text: string, salt: Buffer, cost: number): Promise<Buffer> {
  const [N, r] = [2 ** cost, 8];
  // OpenSSL needs 128 * N * r bytes and a little.
  const options: ScryptOptions = { N, r, p: 1, maxmem: 128 * N * r + 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(normalized(text), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

type Limits = Required<Pick<PasswordOptions, 'concurrency' | 'maxQueued' | 'maxQueuedPerClient'>>;

/** Runs so many at once, queues so many, and refuses the rest at once. */
function createHashQueue({ concurrency, maxQueued, maxQueuedPerClient }: Limits) {
  const queue: (() => void)[] = [];
  const perClient = new Map<string, number>();
  let running = 0;

  const count = (who: string, change: 1 | -1) => {
    const now = (perClient.get(who) ?? 0) + change;
    if (now === 0) perClient.delete(who);
    else perClient.set(who, now);
  };

  return async function inTurn<Result>(who: string, work: () => Promise<Result>): Promise<Result> {
    const full = running >= concurrency && queue.length >= maxQueued;
    if (full || (perClient.get(who) ?? 0) >= maxQueuedPerClient) {
      throw new HttpError(429, 'rate limit exceeded; slow down', { headers: { 'Retry-After': '5' } });
    }
    count(who, 1);
    try {
      if (running >= concurrency) await new Promise<void>((resolve) => queue.push(resolve));
      else running++;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else running--;
      }
    } finally {
      count(who, -1);
    }
  };
}
