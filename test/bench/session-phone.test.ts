import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createFrameSlots } from '../../bench/frame-slots.ts';
import { QUESTIONS, WIDE_RATE } from '../../bench/peers/script.ts';
import { openSessionPhone } from '../../bench/peers/session-phone.ts';
import { until } from '../support/until.ts';

const slots = createFrameSlots();
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const wide = QUESTIONS.map((question) => question.wide);

afterAll(() => {
  slots.close();
  server.close();
});

/** A session that listens, and what it has received. */
async function openCall() {
  const opened = openSessionPhone(port, 'a call', wide, slots);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const received: Buffer[] = [];
  socket.on('data', (data) => received.push(data));
  socket.write(message(0));
  const caller = await opened;
  return { caller, socket, received: () => Buffer.concat(received) };
}

function message(samples: number): Buffer {
  const bytes = Buffer.alloc(4 + samples * 2);
  bytes.writeUInt32LE(samples * 2);
  return bytes;
}

it('says its name, then sends the question from the second that it returns', async () => {
  const { caller, received } = await openCall();
  await until(() => caller.sentMs(0) > 0);
  const from = caller.say(0);
  await until(() => caller.sentMs(from) > 0);
  const audio = () => received().subarray(received().indexOf('\n') + 1);
  const at = from * WIDE_RATE * 2;
  await until(() => audio().length >= at + wide[0]![0]!.length);
  expect(received().toString('latin1')).toMatch(/^{"name":"a call"}\n/);
  expect(audio().subarray(at, at + wide[0]![0]!.length)).toEqual(wide[0]![0]);
  await caller.hangUp();
});

it('counts the audio of a turn as played at its own length', async () => {
  const { caller, socket } = await openCall();
  caller.say(0);
  const audio = message(WIDE_RATE);
  socket.write(audio.subarray(0, 3));
  socket.write(audio.subarray(3));
  await until(() => caller.turn.firstMs > 0);
  expect(caller.turn.playedMs - caller.turn.firstMs).toBeCloseTo(1_000);
  await caller.hangUp();
});

it('refuses a call that the peer closes before it listens', async () => {
  const opened = openSessionPhone(port, 'a call', wide, slots);
  const refusal = expect(opened).rejects.toThrow('the peer refused a call');
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.destroy();
  await refusal;
});

it('has twice the samples of the telephone audio', () => {
  for (const { narrow, wide: frames } of QUESTIONS) {
    expect(frames.length).toBe(narrow.length);
    expect(frames.every((frame) => frame.length === (WIDE_RATE / 50) * 2)).toBe(true);
  }
});
