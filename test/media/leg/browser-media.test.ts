import { createSocket } from 'node:dgram';
import type { types } from 'mediasoup';
import * as mediasoup from 'mediasoup';
import { afterEach, describe, expect, test } from 'vitest';
import { writeRtp } from '../../../media/audio/rtp.ts';
import type { BrowserMedia } from '../../../media/leg/browser-connection.ts';
import { createBrowserMedia } from '../../../media/leg/browser-media.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { eventually, until } from '../../support/until.ts';

const WITHIN_MS = 60_000;
const lines: Record<string, unknown>[] = [];
const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
const settings = { host: '127.0.0.1', port: 0, announcedAddress: '', clock: systemClock, log };
const opened: BrowserMedia[] = [];
const PACKET = Buffer.from([0x80, 100, 0, 1, 0, 0, 3, 0xc0, 0, 0, 0, 1, 0xd8, 0xff, 0xfe]);

function newMedia(changes: Partial<Parameters<typeof createBrowserMedia>[0]> = {}): BrowserMedia {
  const media = createBrowserMedia({ ...settings, ...changes });
  opened.push(media);
  return media;
}

afterEach(async () => {
  for (const media of opened.splice(0)) await media.close();
  lines.length = 0;
});

const unavailableReason = newMedia().unavailableReason;
if (unavailableReason !== null) console.warn(`mediasoup is not tested here: ${unavailableReason}`);

test('a worker that cannot be started is reported once, retried, and calls are rejected meanwhile', async () => {
  const media = newMedia({ workerFile: '/bin/false' });
  expect(media.unavailableReason).toBeNull();
  await expect(media.open()).rejects.toThrow();
  await until(() => media.unavailableReason !== null, 'the reason');
  await expect(media.open()).rejects.toThrow('being restarted');
});

test('a worker that is built while the engine runs is found without a restart', async () => {
  let built: string | null = null;
  const media = newMedia({ workerFile: () => built });
  await expect(media.open()).rejects.toThrow("mediasoup's worker is not on this machine");
  built = '/bin/true';
  expect(media.unavailableReason).toBeNull();
});

describe.skipIf(unavailableReason !== null)('with a worker', () => {
  test('one port for all calls, announced as the setting says', async () => {
    const media = newMedia({ announcedAddress: 'voice.example.com' });
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

  test('a call whose media can be opened in part only leaves no transport', async () => {
    const transports: types.Transport[] = [];
    const onWorker = (worker: types.Worker) =>
      worker.observer.once('newrouter', (router: types.Router) => {
        router.observer.on('newtransport', (transport) => transports.push(transport));
        router.createDirectTransport = () => Promise.reject(new Error('no direct transport'));
      });
    mediasoup.observer.once('newworker', onWorker);
    await expect(newMedia().open()).rejects.toThrow('no direct transport');
    await until(() => transports.length === 2 && transports.every(({ closed }) => closed), 'closed transports');
  });

  test('invalid parameters are rejected, and the call can go on', async () => {
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

  test('a worker that dies ends its calls, and is restarted', async () => {
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
    expect(media.unavailableReason).toBeNull();
    next.close();
    connection.close();
  });

  test('a worker closed from elsewhere ends its calls as well, and packets sent afterwards do no harm', async () => {
    const workers: { close(): void }[] = [];
    const noteWorker = (worker: { close(): void }) => void workers.push(worker);
    mediasoup.observer.on('newworker', noteWorker);
    const media = newMedia();
    const connection = await media.open();
    mediasoup.observer.off('newworker', noteWorker);
    let died = 0;
    // As the engine's tick does it, in the moment of the end itself.
    connection.listen({
      rtp() {},
      died() {
        died++;
        connection.sendRtp(PACKET);
      },
    });
    workers[0]!.close();
    connection.sendRtp(PACKET);
    expect(died).toBe(1);
    expect(await connection.quality()).toBeNull();
    const next = await eventually('the next worker', WITHIN_MS, () => media.open().catch(() => null));
    next.close();
    connection.close();
  });

  test('SIGTERM and SIGINT do not close the worker: calls go on until the engine closes it', async () => {
    const before = [process.listeners('SIGTERM'), process.listeners('SIGINT')];
    const media = newMedia();
    const connection = await media.open();
    expect([process.listeners('SIGTERM'), process.listeners('SIGINT')]).toEqual(before);
    connection.close();
  });

  test('retransmission is negotiated when both sides support it', async () => {
    const media = newMedia();
    const connection = await media.open();
    const { rtp_parameters } = await connection.startReceiving(connection.rtpCapabilities);
    expect(rtp_parameters).toMatchObject({
      codecs: [{ mimeType: 'audio/opus', rtcpFeedback: expect.arrayContaining([{ type: 'nack', parameter: '' }]) }],
    });
    connection.close();
  });

  test('a packet of the agent is retransmitted on a NACK (RFC 4585)', async () => {
    // A plain transport of the same router instead of a browser, which would need encryption.
    let router: types.Router | undefined;
    let agent: types.Producer | undefined;
    const noteWorker = (worker: types.Worker) => {
      worker.observer.once('newrouter', (made) => {
        router = made;
        made.observer.on('newtransport', (transport) => {
          transport.observer.on('newproducer', (producer) => {
            agent = producer;
          });
        });
      });
    };
    mediasoup.observer.on('newworker', noteWorker);
    const media = newMedia();
    const connection = await media.open();
    mediasoup.observer.off('newworker', noteWorker);
    const got: number[] = [];
    const socket = createSocket('udp4');
    socket.on('message', (packet) => {
      if (packet[1]! < 192 || packet[1]! > 223) got.push(packet.readUInt16BE(2));
    });
    await new Promise<void>((resolve) => {
      socket.bind(0, '127.0.0.1', resolve);
    });
    try {
      const plain = await router!.createPlainTransport({ listenInfo: { protocol: 'udp', ip: '127.0.0.1' } });
      await plain.connect({ ip: '127.0.0.1', port: socket.address().port });
      const { rtpParameters } = await plain.consume({
        producerId: agent!.id,
        rtpCapabilities: router!.rtpCapabilities,
        enableRtx: true,
      });
      const packet = Buffer.alloc(20, 7);
      const { ssrc, payloadType } = connection.agentStream;
      const header = { payloadType, ssrc, marker: false };
      for (let number = 1; number <= 3; number++) {
        writeRtp({ ...header, sequence: number, timestamp: number * 960 }, packet.subarray(12), packet);
        connection.sendRtp(packet);
      }
      await until(() => got.length === 3, 'three packets', WITHIN_MS);
      const nack = Buffer.from([0x81, 205, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      nack.writeUInt32BE(rtpParameters.encodings![0]!.ssrc!, 8);
      nack.writeUInt16BE(got[1]!, 12);
      socket.send(nack, plain.tuple.localPort, '127.0.0.1');
      await until(() => got.length === 4, 'the packet once more', WITHIN_MS);
      expect(got[3]).toBe(got[1]);
    } finally {
      socket.close();
      connection.close();
    }
  });
});
