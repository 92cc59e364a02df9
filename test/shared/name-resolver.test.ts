import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createNameResolver } from '../../shared/name-resolver.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const A = 1;
const AAAA = 28;
const sockets: Socket[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(sockets.splice(0).map((socket) => new Promise<void>((closed) => socket.close(() => closed()))));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A name server (RFC 1035): the addresses as bytes, none, or `silent`. */
async function nameServer(answer: (name: string, type: number) => Buffer[] | 'silent') {
  const socket = createSocket('udp4');
  sockets.push(socket);
  const asked: string[] = [];
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (; question[at] !== 0; at += 1 + question[at]!) {
      labels.push(question.subarray(at + 1, at + 1 + question[at]!).toString());
    }
    const type = question.readUInt16BE(at + 1);
    asked.push(labels.join('.'));
    const addresses = answer(labels.join('.'), type);
    if (addresses === 'silent') return;
    const records = addresses.map((data) => {
      // The name is the one at byte 12; class IN, 60 seconds.
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
      return Buffer.concat([head, data]);
    });
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

const V4 = Buffer.from([203, 0, 114, 9]);
const V6 = Buffer.from('26064700000000000000000000001111', 'hex');

it('gives the addresses of both families', async () => {
  const { servers } = await nameServer((_name, type) => (type === A ? [V4] : [V6]));
  // The wait for the other family never ends.
  const found = await createNameResolver({ servers, clock: createVirtualClock() })('shop.example.com');
  expect(found.sort((a, b) => a.family - b.family)).toEqual([
    { address: '203.0.114.9', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
});

it('does not wait long for one family when the other is known', async () => {
  const { servers } = await nameServer((_name, type) => (type === AAAA ? 'silent' : [V4]));
  expect(await createNameResolver({ servers })('shop.example.com')).toEqual([{ address: '203.0.114.9', family: 4 }]);
});

it('finds nothing for a name without addresses', async () => {
  const { servers } = await nameServer(() => []);
  expect(await createNameResolver({ servers })('nowhere.example.com')).toEqual([]);
});

it('asks nobody for a name of the hosts file', async () => {
  const { servers, asked } = await nameServer((_name, type) => (type === A ? [V4] : []));
  const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  folders.push(folder);
  const hostsFile = join(folder, 'hosts');
  writeFileSync(
    hostsFile,
    '# ours\n10.1.2.3 Inside.example.com inside # not outside.example.com\nfd00::1\tinside.example.com\n',
  );
  const resolve = createNameResolver({ servers, hostsFile });
  expect(await resolve('inside.example.com.')).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::1', family: 6 },
  ]);
  expect(asked).toEqual([]);
  expect(await resolve('outside.example.com')).toEqual([{ address: '203.0.114.9', family: 4 }]);
});

it('names whose server never answers hold up no look-up of anybody else', async () => {
  const { servers, asked } = await nameServer(() => 'silent');
  const resolve = createNameResolver({ servers });
  const hanging = Array.from({ length: 64 }, (_, each) => resolve(`slow${each}.example.com`));
  await expect.poll(() => new Set(asked).size).toBeGreaterThan(8);
  // What waits for the system's resolver, in the few threads that all look-ups share, is listed by this name.
  const inThreads = () => process.getActiveResourcesInfo().filter((each) => each === 'GetAddrInfoReqWrap').length;
  expect(inThreads()).toBe(0);
  const ours = lookup('localhost');
  expect(inThreads()).toBe(1);
  await ours;
  expect((await Promise.all(hanging)).flat()).toEqual([]);
});
