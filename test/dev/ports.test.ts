import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort, portIsFree } from '../../dev/ports.ts';

/** From here on Linux gives ports to outgoing connections, unless it is told otherwise (ip(7), `ip_local_port_range`). */
const OUTGOING_FROM = 32_768;

it('a free port is another one each time, and none that an outgoing connection is given', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(new Set(ports).size).toBe(20);
  expect(Math.max(...ports)).toBeLessThan(OUTGOING_FROM);
});

it('a port on which something listens is not free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await portIsFree((server.address() as AddressInfo).port)).toBe(false);
  server.close();
});
