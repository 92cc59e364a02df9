import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { FRAME_MS, FRAME_SAMPLES, LINE_RATE } from '../media/audio/format.ts';
import { encodeMulaw } from '../media/audio/g711.ts';
import { createFrameSlots, type FrameSlot, type FrameSlots } from './frame-slots.ts';
import { LoadCaller, type LoadLine, type LoadPhone, type LoadPhones, lineNoise } from './load-caller.ts';

/**
 * A cheap caller on Twilio's media stream, so that one core can run hundreds: frames are prepared in advance, a frame is one
 * write, and only the times of the agent's audio are kept. It does not check the engine's messages; the simulator of
 * `fixtures/simulators` does, at about ten times the cost.
 */

const NOISE_FRAMES = framesOf(lineNoise());
/** RFC 6455, 5.2: opcodes, and the bits beside them. */
const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
const FINAL = 0x80;
const MASKED = 0x80;
/** Position of the event's name after `{"event":"`. */
const KIND_AT = 10;
const CLEAR = 'c'.charCodeAt(0);
const MARK_SECOND = 'a'.charCodeAt(0);

/** Splits a recording into base64 µ-law frames of 20 ms. */
export function framesOf(samples: Int16Array): string[] {
  const frames: string[] = [];
  for (let from = 0; from + FRAME_SAMPLES <= samples.length; from += FRAME_SAMPLES) {
    const bytes = Buffer.alloc(FRAME_SAMPLES);
    encodeMulaw(samples.subarray(from, from + FRAME_SAMPLES), bytes);
    frames.push(bytes.toString('base64'));
  }
  return frames;
}

export const CARRIER_LINE: LoadLine<string> = {
  carrier: 'twilio',
  transcriberHertz: LINE_RATE,
  framesOf,
  createPhones: createLoadPhones,
};

export function createLoadPhones(): LoadPhones {
  const { lateness, stalls, close, next } = createFrameSlots();
  return { lateness, stalls, close, open: (options) => openPhone(options, next(), lateness) };
}

async function openPhone(
  options: { port: number; path: string; streamSid: string; callSid: string },
  slot: FrameSlot,
  lateness: FrameSlots['lateness'],
): Promise<LoadPhone> {
  const { streamSid, callSid } = options;
  const socket = await upgrade(options.port, options.path);
  const marks: { name: string; dueMs: number }[] = [];
  let waiting: Buffer = Buffer.alloc(0);
  let sequence = 2;

  const head = `","streamSid":"${streamSid}","media":{"track":"inbound","chunk":"`;
  const write = (text: string) => socket.write(frameOf(TEXT, text));
  const caller = new LoadCaller<string>({
    ...{ slot, lateness, noise: NOISE_FRAMES },
    write(payload, number) {
      write(
        `{"event":"media","sequenceNumber":"${++sequence}${head}${number}","timestamp":"${number * FRAME_MS}","payload":"${payload}"}}`,
      );
    },
    sent(nowMs) {
      while (marks[0] && marks[0].dueMs <= nowMs) returnMark(marks.shift()!.name);
    },
    hangUp() {
      write(JSON.stringify({ event: 'stop', sequenceNumber: String(++sequence), streamSid, stop: { callSid } }));
      socket.end(frameOf(CLOSE, '\u0003\u00e8'));
      setTimeout(() => caller.end(), 200).unref();
    },
    close: () => socket.destroy(),
  });

  function returnMark(name: string): void {
    write(JSON.stringify({ event: 'mark', sequenceNumber: String(++sequence), streamSid, mark: { name } }));
  }

  function take(payload: Buffer, nowMs: number): void {
    if (payload[KIND_AT] === CLEAR) {
      caller.emptyAtMs = nowMs;
      for (const { name } of marks.splice(0)) returnMark(name);
    } else if (payload[KIND_AT + 1] === MARK_SECOND) {
      const { mark } = JSON.parse(payload.toString()) as { mark: { name: string } };
      marks.push({ name: mark.name, dueMs: caller.emptyAtMs });
    } else {
      caller.received(nowMs);
    }
  }

  socket.on('data', (data) => {
    const nowMs = performance.now();
    waiting = waiting.length === 0 ? data : Buffer.concat([waiting, data]);
    for (;;) {
      const frame = readFrame(waiting);
      if (!frame) return;
      waiting = waiting.subarray(frame.length);
      if (frame.opcode === TEXT) take(frame.payload, nowMs);
      else if (frame.opcode === PING) socket.write(frameOf(PONG, frame.payload.toString('latin1')));
      else if (frame.opcode === CLOSE) caller.end();
    }
  });
  socket.on('close', () => caller.end());
  socket.on('error', () => {});

  write('{"event":"connected","protocol":"Call","version":"1.0.0"}');
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
  const start = { accountSid: 'AC', streamSid, callSid, tracks: ['inbound'], mediaFormat, customParameters: {} };
  write(JSON.stringify({ event: 'start', sequenceNumber: '1', streamSid, start }));
  caller.start();
  return caller;
}

/** Client frames must be masked; a mask of zeros changes nothing. */
function frameOf(opcode: number, latin1: string): Buffer {
  const long = latin1.length > 125;
  const frame = Buffer.alloc((long ? 8 : 6) + latin1.length);
  frame[0] = FINAL | opcode;
  frame[1] = MASKED | (long ? 126 : latin1.length);
  if (long) frame.writeUInt16BE(latin1.length, 2);
  frame.write(latin1, long ? 8 : 6, 'latin1');
  return frame;
}

function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes[1]! & 0x7f;
  if (short === 127) throw new Error('the engine sent a frame of more than 64 KiB');
  const from = short === 126 ? 4 : 2;
  if (bytes.length < from) return null;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < from + size) return null;
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(from, from + size), length: from + size };
}

function upgrade(port: number, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('error', reject);
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    let answer = '';
    socket.on('data', function onData(data: Buffer) {
      answer += data.toString('latin1');
      const end = answer.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onData);
      socket.off('error', reject);
      // The engine sends only after `start`, so nothing follows the header.
      if (/^HTTP\/1\.1 101 /.test(answer)) resolve(socket);
      else {
        socket.destroy();
        reject(new Error(`the engine refused a stream: ${answer.slice(9, 40).split('\r')[0]}`));
      }
    });
  });
}
