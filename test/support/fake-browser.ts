import type { OpusCodec } from '../../media/audio/opus.ts';
import type { BrowserConnection, BrowserConnectionListener } from '../../media/leg/browser-connection.ts';

/** A fake media connection of a browser: records requests, and delivers packets that the test sends. */
export interface FakeBrowserConnection extends BrowserConnection {
  readonly requests: string[];
  readonly sent: Uint8Array[];
  readonly closed: boolean;
  /** Rejects all requests. */
  refuses: boolean;
  receivePacket(packet: Uint8Array): void;
  die(): void;
}

export function createFakeBrowserConnection(): FakeBrowserConnection {
  let listener: BrowserConnectionListener | null = null;
  let closed = false;
  let ices = 0;
  const described = (id: string) => ({
    id,
    ice_parameters: { usernameFragment: `${id}0` },
    ice_candidates: [],
    dtls_parameters: {},
  });
  const connection: FakeBrowserConnection = {
    requests: [],
    sent: [],
    refuses: false,
    get closed() {
      return closed;
    },
    rtpCapabilities: { codecs: [] },
    send: described('s'),
    receive: described('r'),
    agentStream: { payloadType: 100, ssrc: 7 },
    connect: (direction) => respond(`connect ${direction}`, undefined),
    startSending: () => respond('send', { producer_id: 'p' }),
    startReceiving: () => respond('receive', { consumer_id: 'c', producer_id: 'a', rtp_parameters: {} }),
    play: () => respond('play', undefined),
    restartIce: (direction) => respond(`ice ${direction}`, { usernameFragment: `${direction}${++ices}` }),
    sendRtp: (packet) => void connection.sent.push(packet.slice()),
    quality: async () => ({ roundTripMs: 40, lossPercent: 8 }),
    listen(given) {
      listener = given;
    },
    close() {
      closed = true;
    },
    receivePacket: (packet) => listener?.rtp(packet),
    die: () => listener?.died(),
  };
  async function respond<Result>(what: string, result: Result): Promise<Result> {
    connection.requests.push(what);
    if (connection.refuses) throw new Error('that makes no sense');
    return result;
  }
  return connection;
}

/** A codec whose packets are the first byte of a frame, or 1 byte for silence (as DTX). */
export function createFakeOpusCodec(): OpusCodec & { losses: number[] } {
  const losses: number[] = [];
  const filled = (value: number) => new Uint8Array(640).fill(value);
  return {
    losses,
    encode: (frame) => (frame.every((byte) => byte === 0) ? Uint8Array.of(0) : Uint8Array.of(frame[0]!, 1, 2, 3)),
    decode: (packet) => (packet.length === 3 ? null : filled(packet[0]!)),
    conceal: () => filled(99),
    expectLoss: (percent) => void losses.push(percent),
  };
}

/** An RTP packet of 20 ms; `value` is its audio. */
export function fakeRtpPacket(number: number, value = 1): Uint8Array {
  const packet = new Uint8Array(16);
  const view = new DataView(packet.buffer);
  view.setUint8(0, 0x80);
  view.setUint8(1, 100);
  view.setUint16(2, number & 0xffff);
  view.setUint32(4, number * 960);
  view.setUint32(8, 42);
  packet.fill(value, 12);
  return packet;
}
