import type { ConnectionOptions } from 'node:tls';
import { WebSocket } from 'ws';
import { FRAME_SAMPLES, MULAW_8K, silenceByte } from '../audio/format.ts';

/**
 * A telephone line from the caller's end: what a carrier does between a caller and an engine's carrier gateway. It speaks the
 * protocol of Twilio's media streams over a WebSocket (`leg/protocols/twilio.ts` is the engine's end), plays the agent's audio
 * in real time, returns marks when they have played and drops what is cleared.
 */
export interface TestLine {
  /** Sends the caller's next 20 ms in µ-law, and returns the 20 ms of the agent that play now, valid until the next call. */
  tick(frame: Uint8Array): Uint8Array;
  /** Idempotent. */
  hangUp(): void;
}

export interface TestLineOptions {
  /** A carrier stream's address for Twilio, with its token. */
  url: string;
  callId: string;
  /** Where the address is `wss://…`. */
  tls?: ConnectionOptions | undefined;
  /** Called once: the other end has closed the line, or it could not be opened. */
  onClosed(reason: string): void;
}

const CONNECT_DEADLINE_MS = 5_000;
const SILENCE = silenceByte(MULAW_8K.encoding);
const FRAME_MS = 20;

export function openTestLine({ url, callId, tls, onClosed }: TestLineOptions): TestLine {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: CONNECT_DEADLINE_MS, ...tls });
  const streamSid = `MZ${callId}`;
  /** The agent's audio and marks that have not played, in order. */
  let queue: (Uint8Array | { mark: string })[] = [];
  const playing = new Uint8Array(FRAME_SAMPLES);
  let sequence = 0;
  let chunk = 0;
  let closed = false;

  const send = (event: string, content: object) => {
    const sequenceNumber = String(++sequence);
    if (socket.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify({ event, sequenceNumber, streamSid, ...content }));
    }
  };
  const returnMark = (name: string) => send('mark', { mark: { name } });

  function receive(text: string): void {
    const message = JSON.parse(text) as { event: string; media?: { payload: string }; mark?: { name: string } };
    if (message.event === 'media') queue.push(Buffer.from(message.media!.payload, 'base64'));
    else if (message.event === 'mark') queue.push({ mark: message.mark!.name });
    else if (message.event === 'clear') {
      const dropped = queue;
      queue = [];
      for (const each of dropped) if ('mark' in each) returnMark(each.mark);
    }
  }

  function play(): Uint8Array {
    playing.fill(SILENCE);
    let filled = 0;
    while (queue.length > 0) {
      const head = queue[0]!;
      if ('mark' in head) returnMark(head.mark);
      else if (filled === playing.length) break;
      else {
        const taken = head.subarray(0, playing.length - filled);
        playing.set(taken, filled);
        filled += taken.length;
        if (taken.length < head.length) {
          queue[0] = head.subarray(taken.length);
          break;
        }
      }
      queue.shift();
    }
    return playing;
  }

  function over(reason: string): void {
    if (closed) return;
    closed = true;
    onClosed(reason);
  }

  socket.on('open', () => {
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 };
    const start = { streamSid, callSid: `CA${callId}`, tracks: ['inbound'], mediaFormat, customParameters: {} };
    send('start', { start });
  });
  socket.on('message', (data) => receive(data.toString()));
  socket.on('error', (error) => over(error.message));
  socket.on('close', (code, reason) => over(reason.toString() || `closed (${code})`));

  return {
    tick(frame) {
      if (socket.readyState === WebSocket.OPEN) {
        const payload = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('base64');
        chunk++;
        const timestamp = String(chunk * FRAME_MS);
        send('media', { media: { track: 'inbound', chunk: String(chunk), timestamp, payload } });
      }
      return play();
    },
    hangUp() {
      if (closed) return;
      closed = true;
      send('stop', { stop: { callSid: `CA${callId}` } });
      socket.close();
    },
  };
}
