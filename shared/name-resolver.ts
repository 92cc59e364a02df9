import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { systemClock, type Timer } from './clock.ts';

/**
 * Looks up names that clients have written down, without a thread of the process. `dns.lookup` asks the system's resolver in the
 * thread pool, where look-ups have two threads of four (nodejs.org, "dns.lookup()"; docs.libuv.org, "Thread pool work scheduling"). A
 * name whose server never answers holds one of them for ten seconds and more, and a few such names hold up every other look-up of
 * the process: those of carriers and providers, and of all other workspaces.
 */
export type ResolveName = (host: string) => Promise<ResolvedAddress[]>;

export interface ResolvedAddress {
  address: string;
  family: number;
}

export interface NameResolverOptions {
  /** Instead of the machine's own: `127.0.0.1:5353`. */
  servers?: readonly string[];
  /** What stands in it is asked of nobody. */
  hostsFile?: string;
}

const RETRY_AFTER_MS = 1_500;
const TRIES = 2;
/** When the addresses of one family are known, those of the other get so much longer (as in RFC 8305, section 3, but generous). */
const OTHER_FAMILY_WAIT_MS = 250;

/** Every address of a name; empty when it has none, or nobody answers within seconds. Never rejects. */
export function createNameResolver({ servers, hostsFile = '/etc/hosts' }: NameResolverOptions = {}): ResolveName {
  const resolver = new Resolver({ timeout: RETRY_AFTER_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);

  return async (host) => {
    const own = await lookUpHostsFile(hostsFile, host);
    if (own.length > 0) return own;
    const found: ResolvedAddress[] = [];
    let timer: Timer | null = null;
    const ask = (addresses: Promise<string[]>, family: number) =>
      addresses.then(
        (some) => {
          found.push(...some.map((address) => ({ address, family })));
          return true;
        },
        () => false,
      );
    const both = [ask(resolver.resolve4(host), 4), ask(resolver.resolve6(host), 6)];
    const late = new Promise<void>((resolve) => {
      for (const one of both) {
        void one.then((answered) => {
          if (answered) timer ??= systemClock.after(OTHER_FAMILY_WAIT_MS, resolve);
        });
      }
    });
    await Promise.race([Promise.all(both), late]);
    (timer as Timer | null)?.cancel();
    // What comes later is not what was checked.
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
