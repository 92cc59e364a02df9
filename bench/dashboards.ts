import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The clients of `open-session.ts`, in a process of their own: each waits for its response before its next request, until the parent
 * sends a message. It then gets how many requests were answered and how, by path. They give way to what is measured, because they would
 * be on other machines.
 */

const [, , api, key, clients] = process.argv as [string, string, string, string, string];
setPriority(19);

let stopped = false;
const answered: Record<string, Record<string, number>> = {};
process.once('message', () => {
  stopped = true;
});
await Promise.all(
  (JSON.parse(clients) as [count: number, path: string][]).flatMap(([count, path]) =>
    Array.from({ length: count }, () => ask(path)),
  ),
);
process.send!(answered, () => process.exit());

async function ask(path: string): Promise<void> {
  answered[path] ??= {};
  const statuses = answered[path];
  while (!stopped) {
    const reply = await fetch(`${api}${path}`, { headers: { 'x-api-key': key } });
    await reply.arrayBuffer();
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
    // What it answers with `Retry-After` is not asked again at once.
    if (reply.status === 503) await sleep(1_000);
  }
}
