import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Clock, systemClock, type Timer } from './clock.ts';

/**
 * Resolves names written by clients without the thread pool. `dns.lookup` runs the system's resolver in the pool, where look-ups
 * have two threads of four (nodejs.org, "dns.lookup()"; docs.libuv.org, "Thread pool work scheduling"). A name whose server never
 * responds blocks one for ten seconds or more, and a few such names block all look-ups of the process, also those of carriers
 * and providers.
 */
export type ResolveName = (host: string) => Promise<ResolvedAddress[]>;

export interface ResolvedAddress {
  address: string;
  family: number;
}

export interface NameResolverOptions {
  /** Name servers to use instead of the machine's: `127.0.0.1:5353`. */
  servers?: readonly string[];
  /** Consulted before any name server. */
  hostsFile?: string;
  /** For tests. */
  clock?: Pick<Clock, 'after'>;
}

const RETRY_AFTER_MS = 1_500;
const TRIES = 2;
/** How long the second address family is waited for after the first (RFC 8305, section 3, but longer). */
const OTHER_FAMILY_WAIT_MS = 250;

/** Resolves to all addresses of a name; empty when it has none, or no server responds within seconds. Never rejects. */
export function createNameResolver(options: NameResolverOptions = {}): ResolveName {
  const { servers, hostsFile = '/etc/hosts', clock = systemClock } = options;
  const resolver = new Resolver({ timeout: RETRY_AFTER_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);

  return async (host) => {
    const listed = await lookUpHostsFile(hostsFile, host);
    if (listed.length > 0) return listed;
    const found: ResolvedAddress[] = [];
    let timer: Timer | null = null;
    const collect = (addresses: Promise<string[]>, family: number) =>
      addresses.then(
        (answers) => {
          found.push(...answers.map((address) => ({ address, family })));
          return true;
        },
        () => false,
      );
    const both = [collect(resolver.resolve4(host), 4), collect(resolver.resolve6(host), 6)];
    const late = new Promise<void>((resolve) => {
      for (const family of both) {
        void family.then((resolved) => {
          if (resolved) timer ??= clock.after(OTHER_FAMILY_WAIT_MS, resolve);
        });
      }
    });
    await Promise.race([Promise.all(both), late]);
    (timer as Timer | null)?.cancel();
    // A copy: addresses that arrive later must not bypass the caller's checks.
    return [...found];
  };
}

async function lookUpHostsFile(path: string, host: string): Promise<ResolvedAddress[]> {
  const wanted = host.toLowerCase().replace(/\.$/, '');
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((name) => name.toLowerCase() === wanted) ? [{ address, family }] : [];
  });
}
