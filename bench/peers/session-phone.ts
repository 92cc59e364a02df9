import { once } from 'node:events';
import { connect } from 'node:net';
import { countSent, type FrameSlots } from '../frame-slots.ts';
import { WIDE_NOISE, WIDE_RATE } from './script.ts';

/** A caller of a system under test. */
export interface Caller {
  readonly isOver: boolean;
  /** Speaks a question from the next frame on and starts a new turn; returns the second of the call's audio. */
  say(question: number): number;
  /** When the frame with this second of audio was sent, `performance.now()`; 0 before. */
  sentMs(second: number): number;
  /** First audio of the agent since `say`, and when all of it so far is played; 0 before. */
  readonly turn: { firstMs: number; playedMs: number };
  /** Ends the call and resolves when it is over. */
  hangUp(): Promise<void>;
}

/** A caller on a socket of `livekit-agents.mjs`, which describes its messages. */
export async function openSessionPhone(
  port: number,
  name: string,
  questions: readonly (readonly Buffer[])[],
  slots: FrameSlots,
): Promise<Caller> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const slot = slots.next();
  const wire: number[] = [];
  let speaking: { frames: readonly Buffer[]; at: number } | null = null;
  let turn = { firstMs: 0, playedMs: 0 };
  let waiting: Buffer = Buffer.alloc(0);
  let over = false;
  let listens = () => {};
  const listening = new Promise<void>((resolve) => {
    listens = resolve;
  });

  function send(dueMs: number): void {
    const frame = speaking ? speaking.frames[speaking.at++]! : WIDE_NOISE[wire.length % WIDE_NOISE.length]!;
    if (speaking && speaking.at >= speaking.frames.length) speaking = null;
    socket.write(frame);
    wire.push(countSent(slots.lateness, dueMs));
  }

  function take(bytes: number, nowMs: number): void {
    if (bytes === 0) {
      listens();
      return;
    }
    if (turn.firstMs === 0) turn.firstMs = nowMs;
    turn.playedMs = Math.max(turn.playedMs, nowMs) + (bytes / 2 / WIDE_RATE) * 1_000;
  }

  socket.on('data', (data) => {
    const nowMs = performance.now();
    waiting = waiting.length === 0 ? data : Buffer.concat([waiting, data]);
    while (waiting.length >= 4) {
      const bytes = waiting.readUInt32LE(0);
      if (waiting.length < 4 + bytes) return;
      waiting = waiting.subarray(4 + bytes);
      take(bytes, nowMs);
    }
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      over = true;
      slot.delete(send);
      resolve();
    });
  });
  socket.on('error', () => {});

  socket.write(`${JSON.stringify({ name })}\n`);
  await Promise.race([listening, closed]);
  if (over) throw new Error('the peer refused a call');
  slot.add(send);

  return {
    get isOver() {
      return over;
    },
    get turn() {
      return turn;
    },
    say(question) {
      speaking = { frames: questions[question]!, at: 0 };
      turn = { firstMs: 0, playedMs: 0 };
      return wire.length / 50;
    },
    sentMs: (second) => wire[Math.floor(second * 50)] ?? 0,
    hangUp() {
      socket.end();
      return closed;
    },
  };
}
