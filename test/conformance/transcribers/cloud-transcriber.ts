import { SIMULATOR_SEED } from '../../../fixtures/simulators/draws.ts';
import type { Refusal } from '../../../fixtures/simulators/provider-socket-server.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Transcriber, TranscriberListener } from '../../../media/stt/transcriber.ts';
import type { Clock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import type { TranscriberUnderTest } from '../transcriber-suite.ts';
import { speechFrames, TEXT, WORDS } from './speech.ts';

/** A provider's simulator, as far as all of them are alike. */
interface Simulator {
  url: string;
  violations: string[];
  connections: { closeCode: number | null; raw(data: string | Buffer): void; break(): void }[];
  faults: { refuse: Refusal | null; hang: boolean; silent: boolean };
  close(): Promise<void>;
}

/** What an adapter is created with, for this call. */
interface Common {
  url: string;
  apiKey: string;
  clock: Clock;
  log: ReturnType<typeof createLogger>;
  listener: TranscriberListener;
}

const UNREACHABLE = 'ws://127.0.0.1:1';

/** An adapter at its simulator, for phone calls. */
export function cloudTranscriber(
  simulator: Simulator,
  clock: Clock,
  createTranscriber: (common: Common) => Transcriber,
): TranscriberUnderTest {
  const common = { apiKey: 'key', clock, log: createLogger('test', 'silent') };
  const live = () => simulator.connections.filter(({ closeCode }) => closeCode === null);
  return {
    create: (listener) => createTranscriber({ ...common, url: simulator.url, listener }),
    createUnreachable: (listener) => createTranscriber({ ...common, url: UNREACHABLE, listener }),
    speech: () => speechFrames('ulaw', MULAW_8K.sample_rate),
    words: WORDS,
    violations: () => simulator.violations,
    live: () => live().length,
    faults: {
      refuse(kind) {
        simulator.faults.refuse = { status: kind === 'auth' ? 401 : 429 };
      },
      hang() {
        simulator.faults.hang = true;
      },
      silence() {
        simulator.faults.silent = true;
      },
      disconnect() {
        for (const connection of live()) connection.break();
      },
      send(raw) {
        for (const connection of live()) connection.raw(raw);
      },
    },
    close: () => simulator.close(),
  };
}

/** Options of the simulators whose provider finds utterances and is asked for their final transcript. */
export const UTTERANCES = {
  script: { utterances: () => ({ text: TEXT, finalAfterMs: 20 }) },
  apiKey: 'key',
  seed: SIMULATOR_SEED,
};
/** Settings of their adapters. */
export const GENERAL = { language: 'hi', endpointingMs: 300, keyterms: ['Antiphon'] };
