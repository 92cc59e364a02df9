import { join } from 'node:path';
import { type Capture, readCapture } from '../../bench/replay/read-capture.ts';
import { MULAW_8K } from '../../media/audio/format.ts';
import { type CapturedCall, captureCall } from '../../media/call/captured-call.ts';
import { CarrierLeg } from '../../media/leg/carrier-leg.ts';
import { createEarlyLegCapture } from '../../media/leg/leg-capture.ts';
import { streamProtocol } from '../../media/leg/protocols/stream.ts';
import { createMediaClock } from '../../media/playout/media-clock.ts';
import { type SingleCallOptions, startSingleCall } from './single-call.ts';

/**
 * Captures a whole call on the virtual clock, over a stream of an API client that accepts all audio. The caller says each of
 * `turns` for half a second when the agent has been silent for a while, then hangs up.
 *
 * @param folder where the file is written
 */
export async function captureSingleCall(
  folder: string,
  turns: readonly string[],
  options: SingleCallOptions,
): Promise<Capture> {
  let captured!: CapturedCall;
  let leg!: CarrierLeg;
  const call = startSingleCall({
    ...options,
    wrap(given) {
      const { clock, session } = given;
      leg = new CarrierLeg({
        protocol: streamProtocol,
        start: {
          ...{ type: 'start', streamId: '', providerCallId: '', format: MULAW_8K, agentFormat: MULAW_8K },
          ...{ returnsMarks: false, parameters: {} },
        },
        socket: { send: () => 'sent', close() {} },
        clock,
        capture: createEarlyLegCapture(),
      });
      const mediaClock = createMediaClock(clock, (error) => {
        throw error;
      });
      captured = captureCall({ ...given, session: { ...session, capture: true }, leg, mediaClock }, folder);
      leg.capture!.attach(captured.legCapture);
      return captured.options;
    },
  });
  /** The caller's line is open: it carries silence. */
  const listen = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 20) {
      await call.clock.advance(20);
      leg.handle({ type: 'audio', sequence: null, payload: SILENCE }, call.clock.now());
    }
  };
  await listen(TURN_MS);
  for (const [turn, text] of turns.entries()) {
    call.transcriberEvent({ type: 'turn_started', turn, text });
    await listen(500);
    call.transcriberEvent({ type: 'turn_ended', turn, text });
    await listen(TURN_MS);
  }
  leg.handle({ type: 'stop' }, call.clock.now());
  await call.clock.advance(30_000);
  await call.call.over;
  await captured.close();
  return readCapture(join(folder, `${'a'.repeat(32)}.capture.gz`));
}

/** Longer than the agent answers. */
const TURN_MS = 6_000;
/** 20 ms in mu-law. */
const SILENCE = new Uint8Array(160).fill(0xff);
