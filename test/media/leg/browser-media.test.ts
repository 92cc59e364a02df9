import { afterEach, describe, expect, test } from 'vitest';
import { createBrowserMedia } from '../../../media/leg/browser-media.ts';
import type { WebMedia } from '../../../media/leg/web-connection.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { eventually, until } from '../../support/until.ts';

const WITHIN_MS = 60_000;
const lines: Record<string, unknown>[] = [];
const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
const settings = { host: '127.0.0.1', port: 0, announced: '', clock: systemClock, log };
const opened: WebMedia[] = [];

function newMedia(changes: Partial<Parameters<typeof createBrowserMedia>[0]> = {}): WebMedia {
  const media = createBrowserMedia({ ...settings, ...changes });
  opened.push(media);
  return media;
}

afterEach(async () => {
  for (const media of opened.splice(0)) await media.close();
  lines.length = 0;
});

const missing = newMedia().missing;
if (missing !== null) console.warn(`mediasoup is not tested here: ${missing}`);

test('a worker that cannot be started is said once, tried again, and refuses calls meanwhile', async () => {
  const media = newMedia({ workerFile: '/bin/false' });
  expect(media.missing).toBeNull();
  await expect(media.open()).rejects.toThrow();
  await until(() => media.missing !== null, 'the reason');
  await expect(media.open()).rejects.toThrow('being started again');
});

describe.skipIf(missing !== null)('with a worker', { timeout: 120_000 }, () => {
  test('one port for all calls, announced as the setting says', async () => {
    const media = newMedia({ announced: 'voice.example.com' });
    const connections = [await media.open(), await media.open()];
    const ports = new Set<unknown>();
    for (const { send, receive } of connections) {
      for (const { ice_candidates } of [send, receive]) {
        const udp = ice_candidates.filter(({ protocol }) => protocol === 'udp');
        expect(udp).toHaveLength(1);
        ports.add(udp[0]!.port);
        expect(udp[0]!.address ?? udp[0]!.ip).toBe('voice.example.com');
        expect(ice_candidates.some(({ protocol }) => protocol === 'tcp')).toBe(true);
      }
    }
    expect(ports.size).toBe(1);
    for (const connection of connections) connection.close();
  });

  test('what makes no sense to it is refused, and the call can go on', async () => {
    const media = newMedia();
    const connection = await media.open();
    await expect(connection.connect('send', { role: 'nobody' })).rejects.toThrow();
    await expect(connection.startSending({ codecs: 7 })).rejects.toThrow();
    await expect(connection.startReceiving({})).rejects.toThrow();
    await expect(connection.play()).rejects.toThrow();
    expect(await connection.restartIce('send')).toMatchObject({ usernameFragment: expect.any(String) });
    expect(await connection.quality()).toBeNull();
    connection.sendRtp(Buffer.alloc(40));
    connection.close();
    connection.sendRtp(Buffer.alloc(40));
    connection.close();
  });

  test('a worker that dies ends its calls, and another one takes its place', async () => {
    const media = newMedia();
    const connection = await media.open();
    let died = 0;
    connection.listen({ rtp() {}, died: () => died++ });
    const pid = lines.find(({ msg }) => String(msg).includes('is ready'))?.pid as number;
    const worker = lines.find((line) => typeof line.worker_pid === 'number')?.worker_pid as number;
    expect(pid).not.toBe(worker);
    process.kill(worker, 'SIGKILL');
    await until(() => died === 1, 'the end', WITHIN_MS);
    const next = await eventually('the next worker', WITHIN_MS, () => media.open().catch(() => null));
    expect(media.missing).toBeNull();
    next.close();
    connection.close();
  });
});
