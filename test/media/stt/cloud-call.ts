import type { SimulatedConnection, SimulatedTranscriber } from '../../../fixtures/simulators/transcriber-server.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { TranscriberConnectionOptions } from '../../../media/stt/streaming-transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import type { Clock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';

/** An adapter in a call with its simulator, for tests of what the suite of all transcribers does not reach. */

export const SPEECH = new Uint8Array(160).map((_, i) => (i % 2 ? 0x10 : 0x90));
export const SILENCE = new Uint8Array(160).fill(0xff);

export interface CloudCall {
  simulator: SimulatedTranscriber;
  transcriber: Transcriber;
  events: TranscriberEvent[];
  connection: SimulatedConnection;
  /** Sends a frame again and again. */
  say(frame: Uint8Array, ms: number): void;
  /** The simulator sends a message. */
  receive(message: object): void;
  /** Final texts with their turns. */
  finals(): [number, string][];
  close(): Promise<void>;
}

interface CommonOptions extends TranscriberConnectionOptions {
  url: string;
  apiKey: string;
  language: string;
  input: typeof MULAW_8K;
}

/** Opens the adapter at the simulator; rejects as its `open` does. */
export async function cloudCall(
  simulator: SimulatedTranscriber,
  create: (options: CommonOptions) => Transcriber,
  clock: Clock = patientClock,
): Promise<CloudCall> {
  const events: TranscriberEvent[] = [];
  const transcriber = create({
    ...{
      url: simulator.url,
      apiKey: 'key',
      language: 'hi',
      input: MULAW_8K,
      clock,
      log: createLogger('test', 'silent'),
    },
    listener: (event) => events.push(event),
  });
  try {
    await transcriber.open();
  } catch (error) {
    await simulator.close();
    throw error;
  }
  await until(() => simulator.connections.length > 0);
  return {
    ...{ simulator, transcriber, events, connection: simulator.connections.at(-1)! },
    say(frame, ms) {
      for (let sent = 0; sent < ms; sent += 20) transcriber.audio(frame);
    },
    receive: (message) => simulator.connections.at(-1)!.raw(JSON.stringify(message)),
    finals: () =>
      events.flatMap((event): [number, string][] => (event.type === 'final' ? [[event.turn, event.text]] : [])),
    async close() {
      await transcriber.close();
      await simulator.close();
    },
  };
}
