import { eventually } from './until.ts';

/** What a closed pool, bus, server or program may take to be gone, on a busy machine. */
const WITHIN_MS = 60_000;
/** As `process.getActiveResourcesInfo` calls connections, listening servers and child processes. */
const KINDS = ['TCPSocketWrap', 'TCPServerWrap', 'ProcessWrap'];

/** Returns how many connections, listening servers and child processes keep this process alive. */
export const openResources = (): number =>
  process.getActiveResourcesInfo().filter((kind) => KINDS.includes(kind)).length;

/**
 * Waits until no more is open than before.
 *
 * @throws an error that lists what is open, with addresses.
 */
export async function nothingLeftOpen(before: number, withinMs = WITHIN_MS): Promise<void> {
  await eventually('the end of all', withinMs, async () => openResources() <= before || null).catch(() => {
    throw new Error(`after its last test the file left open some of:\n${addresses().join('\n')}`);
  });
}

interface Endpoint {
  ip4?: string;
  ip6?: string;
  port: number;
}

/** From Node's diagnostic report, whose type is not declared: https://nodejs.org/api/report.html */
interface Handle {
  type: string;
  is_active: boolean;
  is_referenced: boolean;
  pid?: number;
  localEndpoint?: Endpoint | null;
  remoteEndpoint?: Endpoint | null;
}

function addresses(): string[] {
  // Without names, which would be looked up. The option is not declared either.
  Object.assign(process.report, { excludeNetwork: true });
  const { libuv } = process.report.getReport() as unknown as { libuv: Handle[] };
  const shown = (endpoint: Endpoint | null | undefined) =>
    endpoint ? `${endpoint.ip4 ?? endpoint.ip6}:${endpoint.port}` : '';
  return libuv
    .filter(({ type, is_active, is_referenced }) => is_active && is_referenced && /^(tcp|process)$/.test(type))
    .map(({ type, pid, localEndpoint, remoteEndpoint }) =>
      [type, pid ?? shown(localEndpoint), remoteEndpoint ? `to ${shown(remoteEndpoint)}` : ''].join(' ').trimEnd(),
    );
}
