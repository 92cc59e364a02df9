import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDeepgramSimulator } from '../../fixtures/simulators/deepgram.ts';
import { startDeepgramGeneralSimulator } from '../../fixtures/simulators/deepgram-general.ts';
import type { Refusal } from '../../fixtures/simulators/provider-socket-server.ts';
import { startSarvamTranscriberSimulator } from '../../fixtures/simulators/sarvam-transcriber.ts';
import { type SpokenFormat, speechLike } from '../../fixtures/simulators/speech-like.ts';
import { MULAW_8K } from '../../media/audio/format.ts';
import { createDeepgram } from '../../media/stt/deepgram.ts';
import { createDeepgramFlux } from '../../media/stt/deepgram-flux.ts';
import { createPocketsphinx } from '../../media/stt/pocketsphinx.ts';
import { createSarvam } from '../../media/stt/sarvam.ts';
import { createLogger } from '../../shared/log.ts';
import { type ProviderFaults, transcriberConformance } from './transcriber-suite.ts';

const log = createLogger('test', 'silent');
const WORDS = ['book', 'table'];
const TEXT = 'book a table';

/** 600 ms of speech and a second of silence, in frames of 20 ms. */
function frames(format: SpokenFormat, rate: number): Uint8Array[] {
  const [bytes, rest] = format === 'pcm' ? [2, 0] : [1, 0xff];
  const silence = Buffer.alloc(rate * bytes, rest);
  const spoken = Buffer.concat([speechLike('bookatable', format, rate, 60).bytes, silence]);
  const each = (rate / 50) * bytes;
  return Array.from({ length: Math.floor(spoken.length / each) }, (_, i) => spoken.subarray(i * each, (i + 1) * each));
}

interface SimulatedProvider {
  url: string;
  violations: string[];
  connections: { closeCode: number | null; raw(data: string | Buffer): void; break(): void }[];
  faults: { refuse: Refusal | null; hang: boolean; silent: boolean };
  close(): Promise<void>;
}

const live = ({ connections }: SimulatedProvider) => connections.filter(({ closeCode }) => closeCode === null);

function faultsOf(simulator: SimulatedProvider): ProviderFaults {
  return {
    refuse(kind) {
      simulator.faults.refuse = { status: kind === 'auth' ? 401 : 429 };
    },
    hang() {
      simulator.faults.hang = true;
    },
    silence() {
      simulator.faults.silent = true;
    },
    cut() {
      for (const connection of live(simulator)) connection.break();
    },
    say(raw) {
      for (const connection of live(simulator)) connection.raw(raw);
    },
  };
}

function underTest(simulator: SimulatedProvider) {
  return {
    speech: () => frames('ulaw', 8000),
    words: WORDS,
    violations: () => simulator.violations,
    live: () => live(simulator).length,
    faults: faultsOf(simulator),
    close: () => simulator.close(),
  };
}

transcriberConformance('deepgram flux', { turnDetection: 'decided', through: 'connection' }, async (clock) => {
  const simulator = await startDeepgramSimulator({
    script: { turns: () => ({ text: TEXT, startAfterMs: 5, endAfterMs: 40 }) },
    apiKey: 'key',
    clock,
  });
  const common = {
    apiKey: 'key',
    model: 'flux-general-multi',
    turnDetection: 'balanced' as const,
    languageHints: ['hi', 'en'],
    input: MULAW_8K,
    clock,
    log,
  };
  return {
    ...underTest(simulator),
    create: (listener) => createDeepgramFlux({ ...common, url: simulator.url, listener }),
    createUnreachable: (listener) => createDeepgramFlux({ ...common, url: 'ws://127.0.0.1:1', listener }),
  };
});

const GENERAL = { apiKey: 'key', language: 'hi', endpointingMs: 300, keyterms: ['Antiphon'], log };

transcriberConformance('deepgram', { turnDetection: 'asked', through: 'connection' }, async (clock) => {
  const simulator = await startDeepgramGeneralSimulator({
    script: { utterances: () => ({ text: TEXT, finalAfterMs: 20 }) },
    apiKey: 'key',
    clock,
  });
  const common = { ...GENERAL, model: 'nova-3', input: MULAW_8K, clock };
  return {
    ...underTest(simulator),
    create: (listener) => createDeepgram({ ...common, url: simulator.url, listener }),
    createUnreachable: (listener) => createDeepgram({ ...common, url: 'ws://127.0.0.1:1', listener }),
  };
});

transcriberConformance('sarvam', { turnDetection: 'asked', through: 'connection' }, async (clock) => {
  const simulator = await startSarvamTranscriberSimulator({
    script: { utterances: () => ({ text: TEXT, finalAfterMs: 20 }) },
    apiKey: 'key',
    clock,
  });
  const common = { ...GENERAL, model: 'saaras:v3-realtime', lineFormat: MULAW_8K, clock };
  return {
    ...underTest(simulator),
    create: (listener) => createSarvam({ ...common, url: simulator.url, listener }),
    createUnreachable: (listener) => createSarvam({ ...common, url: 'ws://127.0.0.1:1', listener }),
  };
});

/** A program in the place of pocketsphinx, which is held to real speech by its own tests. */
transcriberConformance('local', { turnDetection: 'asked', through: 'process' }, async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'transcribers-'));
  const bin = join(folder, 'program');
  writeFileSync(bin, `#!/bin/sh\ncat >/dev/null\necho ${TEXT}\n`, { mode: 0o755 });
  for (const file of ['m.lm', 'm.dict']) writeFileSync(join(folder, file), '');
  mkdirSync(join(folder, 'en-us', 'en-us'), { recursive: true });
  const common = { modelsDir: folder, languageModelsDir: folder, model: 'm', clock, log };
  return {
    create: (listener) => createPocketsphinx({ ...common, bin, listener }),
    createUnreachable: (listener) => createPocketsphinx({ ...common, bin: join(folder, 'nothing-here'), listener }),
    speech: () => frames('pcm', 16_000),
    words: WORDS,
    live: children,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

/** How many processes of ours are alive. */
function children(): number {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const fields = readFileSync(`/proc/${id}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ');
      return fields[0] !== 'Z' && fields[0] !== 'X' && Number(fields[1]) === process.pid;
    } catch {
      return false;
    }
  }).length;
}
