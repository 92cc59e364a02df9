import type { Clock, Timer } from '../../shared/clock.ts';
import type { AudioFormat } from '../audio/format.ts';
import { sameFormat } from '../audio/format.ts';
import type { Leg, LegEnd, LegListener } from './leg.ts';
import { createPageToolCalls, type PageToolCalls } from './page-tool-calls.ts';

/** How long a broken stream may take to come back; the caller gets silence meanwhile. */
export const RESUME_WITHIN_MS = 5_000;

/** A leg over one stream, which may break. */
export interface StreamLeg extends Leg {
  /** It ended in a way after which the carrier opens another stream. */
  readonly resumable: boolean;
}

/**
 * A call's leg over successive streams of a carrier: when a stream breaks, the call resumes on the next one that names the
 * same call within five seconds, and otherwise ends with the cause of the broken one. A stream that was closed properly ends
 * the call at once.
 */
export class ResumableLeg implements Leg {
  readonly carrier: string;
  readonly format: AudioFormat;
  readonly callerFormat: AudioFormat;
  readonly sendsDigits: boolean;
  readonly packetMs: number;
  readonly returnsMarks: boolean;
  readonly transcript?: NonNullable<Leg['transcript']>;
  readonly callTool?: NonNullable<Leg['callTool']>;

  readonly #clock: Clock;
  readonly #toolCalls: PageToolCalls;
  #stream: StreamLeg;
  #listener: LegListener | null = null;
  #resumeTimer: Timer | null = null;
  #over = false;

  constructor(stream: StreamLeg, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    this.carrier = stream.carrier;
    this.format = stream.format;
    this.callerFormat = stream.callerFormat;
    this.sendsDigits = stream.sendsDigits;
    this.packetMs = stream.packetMs;
    this.returnsMarks = stream.returnsMarks;
    if (stream.transcript) this.transcript = (line) => this.#stream.transcript?.(line);
    this.#toolCalls = createPageToolCalls(clock, (call) => this.#stream.callTool?.(call));
    if (stream.callTool) this.callTool = (call) => this.#toolCalls.ask(call);
  }

  /** The stream is broken, and the call waits for the next one. */
  get awaitsStream(): boolean {
    return this.#resumeTimer !== null;
  }

  /** Resumes on this stream. Returns false, and changes nothing, when none is awaited, or its audio, marks or tools differ. */
  resume(stream: StreamLeg): boolean {
    const fits = sameFormat(stream.format, this.format) && sameFormat(stream.callerFormat, this.callerFormat);
    const offers = stream.returnsMarks === this.returnsMarks && !stream.callTool === !this.callTool;
    if (!this.#resumeTimer || stream.carrier !== this.carrier || !offers || !fits) return false;
    this.#resumeTimer.cancel();
    this.#resumeTimer = null;
    this.#stream = stream;
    this.#follow(stream);
    this.#toolCalls.askAgain();
    return true;
  }

  listen(listener: LegListener): void {
    this.#listener = listener;
    this.#follow(this.#stream);
  }

  tick(nowMs: number): void {
    this.#stream.tick(nowMs);
  }

  play(frame: Uint8Array): boolean {
    return this.#stream.play(frame);
  }

  flush(): void {
    this.#stream.flush();
  }

  mark(name: string): void {
    this.#stream.mark(name);
  }

  ping(): void {
    if (this.#stream.ping) this.#stream.ping();
    else this.#listener?.pong?.();
  }

  clear(): void {
    this.#stream.clear();
  }

  pressKeys(digits: string): boolean {
    return this.#stream.pressKeys?.(digits) ?? false;
  }

  get playoutDelayMs(): number {
    return this.#stream.playoutDelayMs ?? 0;
  }

  hangUp(reason?: string): void {
    this.#over = true;
    this.#resumeTimer?.cancel();
    this.#resumeTimer = null;
    this.#stream.hangUp(reason);
  }

  #follow(stream: StreamLeg): void {
    const listener = this.#listener!;
    stream.listen({
      audio: (frame, atMs) => listener.audio(frame, atMs),
      networkStall: (stallMs) => listener.networkStall?.(stallMs),
      mark: (name) => listener.mark(name),
      pong: () => listener.pong?.(),
      digit: (digit) => listener.digit(digit),
      toolResult: (result) => {
        if (this.#toolCalls.answered(result.id)) listener.toolResult?.(result);
      },
      carrierError: (reason) => listener.carrierError?.(reason),
      ended: (cause, detail) => this.#ended(stream, cause, detail),
    });
  }

  #ended(stream: StreamLeg, cause: LegEnd, detail: string): void {
    if (this.#over || stream !== this.#stream) return;
    if (!stream.resumable) {
      this.#end(cause, detail);
      return;
    }
    this.#resumeTimer = this.#clock.after(RESUME_WITHIN_MS, () => {
      this.#resumeTimer = null;
      this.#end(cause, detail);
    });
    this.#listener?.stalled?.();
  }

  #end(cause: LegEnd, detail: string): void {
    this.#over = true;
    this.#listener?.ended(cause, detail);
  }
}
