import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { freePort } from '../dev/ports.ts';
import { keepCoresAwake, pin, raisePriority } from './cores.ts';
import { createLoadPhones } from './load-phone.ts';
import { cpuSeconds } from './processes.ts';

/**
 * `CALLS=1,50 node bench/bare-relay.ts`: what the frames of a call cost alone, in CPU seconds per minute of call: a process that only passes
 * the caller's audio on and sends a frame every 20 ms (`bare-relay-process.ts`), with the libraries of the engine, pinned to the first core
 * as `bench/capacity.ts` does, with cores that stay awake. An engine on Node.js cannot cost less: divide its figure, from
 * `AWAKE=1 CALLS=1,50 node bench/capacity.ts` of the same hour, by this one.
 */

const SIZES = (process.env.CALLS ?? '1,50,150').split(',').map(Number);
const SETTLES_MS = 5_000;
const MEASURED_MS = 30_000;

async function measure(calls: number): Promise<number> {
  const transcriber = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(transcriber, 'listening');
  const port = await freePort();
  const url = `ws://127.0.0.1:${(transcriber.address() as AddressInfo).port}`;
  const relay = fork(fileURLToPath(new URL('./bare-relay-process.ts', import.meta.url)), [String(port), url]);
  const phones = createLoadPhones();
  try {
    await once(relay, 'message');
    pin(relay.pid!, 0);
    for (let call = 0; call < calls; call++) {
      await phones.open({ port, path: '/', streamSid: `MZ${call}`, callSid: `CA${call}` });
    }
    await sleep(SETTLES_MS);
    const before = cpuSeconds([relay.pid!]);
    await sleep(MEASURED_MS);
    return ((cpuSeconds([relay.pid!]) - before) / calls) * (60_000 / MEASURED_MS);
  } finally {
    phones.close();
    relay.kill();
    transcriber.close();
    for (const client of transcriber.clients) client.terminate();
  }
}

pin(process.pid, 1);
raisePriority();
const letCoresSleep = keepCoresAwake();
try {
  for (const calls of SIZES) {
    const seconds = (await measure(calls)).toFixed(2);
    console.log(`${String(calls).padStart(5)} calls${seconds.padStart(8)} CPU s per call-minute`);
  }
} finally {
  letCoresSleep();
}
