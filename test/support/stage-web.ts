import type { OpusCodec } from '../../media/audio/opus.ts';
import type { WebConnection, WebConnectionListener } from '../../media/leg/web-connection.ts';

/** A browser's media without a browser: what is asked of it is written down, and packets come when the test says so. */
export interface StageConnection extends WebConnection {
  readonly asked: string[];
  readonly sent: Uint8Array[];
  readonly closed: boolean;
  /** Refuses everything from now on. */
  refuses: boolean;
  hears(packet: Uint8Array): void;
  dies(): void;
}

export function createStageConnection(): StageConnection {
  let listener: WebConnectionListener | null = null;
  let closed = false;
  let ices = 0;
  const described = (id: string) => ({
    id,
    ice_parameters: { usernameFragment: `${id}0` },
    ice_candidates: [],
    dtls_parameters: {},
  });
  const stage: StageConnection = {
    asked: [],
    sent: [],
    refuses: false,
    get closed() {
      return closed;
    },
    rtpCapabilities: { codecs: [] },
    send: described('s'),
    receive: described('r'),
    agentStream: { payloadType: 100, ssrc: 7 },
    connect: (direction) => answer(`connect ${direction}`, undefined),
    startSending: () => answer('send', { producer_id: 'p' }),
    startReceiving: () => answer('receive', { consumer_id: 'c', producer_id: 'a', rtp_parameters: {} }),
    play: () => answer('play', undefined),
    restartIce: (direction) => answer(`ice ${direction}`, { usernameFragment: `${direction}${++ices}` }),
    sendRtp: (packet) => void stage.sent.push(packet.slice()),
    quality: async () => ({ roundTripMs: 40, lossPercent: 8 }),
    listen(given) {
      listener = given;
    },
    close() {
      closed = true;
    },
    hears: (packet) => listener?.rtp(packet),
    dies: () => listener?.died(),
  };
  async function answer<Result>(what: string, result: Result): Promise<Result> {
    stage.asked.push(what);
    if (stage.refuses) throw new Error('that makes no sense');
    return result;
  }
  return stage;
}

/** Packets that are their sound: the first byte of a frame, or 1 byte for silence (as DTX). */
export function createStageCodec(): OpusCodec & { losses: number[] } {
  const losses: number[] = [];
  const frame = (value: number) => new Uint8Array(640).fill(value);
  return {
    losses,
    encode: (sound) => (sound.every((byte) => byte === 0) ? Uint8Array.of(0) : Uint8Array.of(sound[0]!, 1, 2, 3)),
    decode: (packet) => (packet.length === 3 ? null : frame(packet[0]!)),
    conceal: () => frame(99),
    expectLoss: (percent) => void losses.push(percent),
  };
}

/** A browser's packet of 20 ms; `value` is its sound. */
export function stagePacket(number: number, value = 1): Uint8Array {
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
