import { MULAW_8K } from '../../media/audio/format.ts';
import { decodeMulaw, encodeMulaw } from '../../media/audio/g711.ts';
import { CarrierLeg, type LegSocket } from '../../media/leg/carrier-leg.ts';
import { twilioProtocol } from '../../media/leg/protocols/twilio.ts';
import { ResumableLeg } from '../../media/leg/resumable-leg.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { broken, type Failure, LATE_MS } from './failure.ts';

/**
 * The carrier's end of a call: a Twilio stream on the virtual clock, which plays what it gets in real time and returns marks when
 * it has. It may throw, stand still, be late, break, and come back as another stream.
 */
export interface Line {
  readonly leg: ResumableLeg;
  /** Sends 20 ms of the caller. */
  send(samples: Int16Array): void;
  /** The agent's sound, not its silence, is playing at the caller's. */
  agentAudible(): boolean;
  /** When each frame of the agent arrived at the carrier. */
  readonly framesMs: number[];
  /** How much of the agent's sound, without silence, the caller was played. */
  playedMs(): number;
  /** The caller hangs up. */
  hangUp(): void;
  /** The engine closed the stream, or it is lost. */
  readonly closed: boolean;
}

const STREAM = 'MZ0000000000000000000000000000aaaa';
const FRAME_SAMPLES = 160;
const SOCKET_BYTES = 64 * 1024;
/** Louder than this is no silence. */
const AUDIBLE_SAMPLE = 200;

export function createLine(clock: VirtualClock, failure: Failure | null): Line {
  const framesMs: number[] = [];
  let closed = false;
  let sequence = 0;
  let playedUntilMs = 0;
  let audibleUntilMs = 0;
  let playedMs = 0;
  let stuckBytes = 0;
  /** Counts streams and clears: what was queued before them is not played. */
  let generation = 0;
  let marks: { name: string; generation: number }[] = [];
  let stream = openStream();
  const leg = new ResumableLeg(stream, clock);
  const wrong = () => failure?.of('leg') ?? null;

  failure?.onStrike('leg', () => {
    if (wrong() === 'dies') stream.closed(1006);
  });
  failure?.onHealed('leg', () => {
    if (closed) return;
    sequence = 0;
    stream = openStream();
    if (!leg.resume(stream)) closed = true;
  });

  function openStream(): CarrierLeg {
    const start = { type: 'start' as const, streamId: STREAM, providerCallId: 'CA1', format: MULAW_8K, parameters: {} };
    let open = true;
    const socket: LegSocket = {
      send(message, kind) {
        if (!open || wrong() === 'dies') return 'closed';
        if (wrong() === 'throws') broken();
        if (wrong() === 'hangs') {
          if (kind === 'audio' && stuckBytes + message.length > SOCKET_BYTES) return 'congested';
          stuckBytes += message.length;
        }
        reachCarrier(() => receive(String(message)));
        return 'sent';
      },
      ping(payload) {
        if (open) reachCarrier(() => fromCarrier((receiver) => receiver.pong(payload, clock.now())));
      },
      close() {
        open = false;
        closed = true;
      },
    };
    return new CarrierLeg({ protocol: twilioProtocol, start, socket, clock });
  }

  /** Runs when what the engine sends now arrives; never when it does not. */
  function reachCarrier(arrive: () => void): void {
    if (wrong() === 'answers late') clock.after(LATE_MS, arrive);
    else if (wrong() === null) arrive();
  }

  /** Gives the present stream what the carrier sends now, unless the line is gone. */
  function fromCarrier(give: (receiver: CarrierLeg) => void): void {
    if (closed || wrong() === 'hangs' || wrong() === 'dies') return;
    const receiver = stream;
    if (wrong() === 'answers late') clock.after(LATE_MS, () => give(receiver));
    else give(receiver);
  }

  /** The carrier takes a message of the engine. */
  function receive(text: string): void {
    const message = JSON.parse(text) as { event: string; media?: { payload: string }; mark?: { name: string } };
    if (message.event === 'media') play(Buffer.from(message.media!.payload, 'base64'));
    if (message.event === 'mark') {
      const mark = { name: message.mark!.name, generation };
      marks.push(mark);
      clock.after(Math.max(0, playedUntilMs - clock.now()), () => {
        if (mark.generation === generation) returnMarks([mark]);
      });
    }
    if (message.event === 'clear') {
      generation++;
      playedMs -= Math.max(0, audibleUntilMs - clock.now());
      playedUntilMs = clock.now();
      audibleUntilMs = clock.now();
      returnMarks(marks);
    }
  }

  function play(mulaw: Uint8Array): void {
    framesMs.push(clock.now());
    const samples = new Int16Array(mulaw.length);
    decodeMulaw(mulaw, samples);
    playedUntilMs = Math.max(playedUntilMs, clock.now()) + mulaw.length / 8;
    if (!samples.some((sample) => Math.abs(sample) > AUDIBLE_SAMPLE)) return;
    playedMs += mulaw.length / 8;
    audibleUntilMs = playedUntilMs;
  }

  function returnMarks(returned: { name: string }[]): void {
    marks = marks.filter((mark) => !returned.includes(mark));
    for (const { name } of returned) {
      toEngine(JSON.stringify({ event: 'mark', streamSid: STREAM, mark: { name } }));
    }
  }

  const toEngine = (text: string) => fromCarrier((receiver) => receiver.receive(text, clock.now()));

  return {
    leg,
    framesMs,
    get closed() {
      return closed;
    },
    send(samples) {
      const mulaw = new Uint8Array(FRAME_SAMPLES);
      encodeMulaw(samples, mulaw);
      sequence++;
      const timestamp = (sequence - 1) * 20;
      const media = { track: 'inbound', chunk: `${sequence}`, timestamp: `${timestamp}`, payload: base64(mulaw) };
      toEngine(JSON.stringify({ event: 'media', sequenceNumber: `${sequence + 1}`, media, streamSid: STREAM }));
    },
    playedMs: () => playedMs,
    agentAudible: () => clock.now() < audibleUntilMs,
    hangUp() {
      if (!closed) stream.receive(JSON.stringify({ event: 'stop', streamSid: STREAM }), clock.now());
    },
  };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
