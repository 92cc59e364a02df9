import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMediaProgram } from '../../test/support/media-program.ts';
import { createFrameSlots, type FrameSlots } from '../frame-slots.ts';
import { createLoadPhones } from '../load-phone.ts';
import { firstMessage, type ProviderProcess, stopChild } from './providers.ts';
import { QUESTIONS } from './script.ts';
import { type Caller, openSessionPhone } from './session-phone.ts';

/** A running system under test. */
export interface System {
  /** Its processes, which are measured. */
  pids: number[];
  /** Whether these processes serve only these calls, so that all of their memory is that of the calls. */
  perCall: boolean;
  /** Opens a call of this name; resolves when audio flows. */
  open(name: string): Promise<Caller>;
  callers: Pick<FrameSlots, 'lateness' | 'stalls'>;
  stop(): Promise<void>;
}

const LAST_CALL_MS = 60_000;
const PEER = join(import.meta.dirname, 'livekit-agents.mjs');

/** The version that `make peers` installs. */
export const PEER_VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  }
).dependencies['@livekit/agents']!;

/** Antiphon's media process. Calls are Twilio's media streams; it publishes their events to a NATS server. */
export async function startAntiphon({ settings }: ProviderProcess): Promise<System> {
  const program = await startMediaProgram({ ...settings, LOG_LEVEL: 'warn', MAX_CALLS: '10000' });
  const phones = createLoadPhones();
  return {
    pids: [program.pid],
    perCall: false,
    callers: phones,
    async open(name) {
      const { id, path, ended } = program.admit({
        system_prompt: name,
        transcriber: { provider: 'deepgram_flux', model: 'flux-general-en', keyterms: [name] },
        voice: { provider: 'elevenlabs', voice_id: name, language: 'en' },
        // The peer does neither.
        call: { record: false, noise_cancellation: false },
      });
      const phone = await phones.open({ port: program.port, path, streamSid: `MZ${id}`, callSid: `CA${id}` });
      return {
        get isOver() {
          return phone.isOver;
        },
        get turn() {
          return { firstMs: phone.turn.firstMs, playedMs: phone.turn.lastMs };
        },
        say: (question) => phone.say(QUESTIONS[question]!.narrow) / 8_000,
        sentMs: (second) => phone.sentMs(Math.floor(second * 8_000)),
        async hangUp() {
          phone.hangUp();
          await ended(LAST_CALL_MS);
        },
      };
    },
    async stop() {
      phones.close();
      await program.stop();
    },
  };
}

/** LiveKit Agents, all calls in one process. */
export const startPeer = (providers: ProviderProcess) => startPeerProcesses(providers, 1, false);

/** LiveKit Agents as it runs calls by default: a process for each, started before the call. */
export const startPeerPerCall = (providers: ProviderProcess, calls: number) =>
  startPeerProcesses(providers, calls, true);

async function startPeerProcesses(providers: ProviderProcess, count: number, perCall: boolean): Promise<System> {
  const slots = createFrameSlots();
  const wide = QUESTIONS.map((question) => question.wide);
  const processes: { child: ReturnType<typeof fork>; port: number }[] = [];
  // One after the other, so that none waits for a core beyond its limits.
  for (let at = 0; at < count; at++) {
    const child = fork(PEER, { env: { ...process.env, NODE_ENV: 'production', ...providers.settings } });
    const [port] = (await firstMessage(child, 'the peer')) as [number];
    processes.push({ child, port });
  }
  const free = [...processes];
  return {
    pids: processes.map(({ child }) => child.pid!),
    perCall,
    callers: slots,
    async open(name) {
      const { port } = free[0]!;
      // Round robin.
      free.push(free.shift()!);
      return openSessionPhone(port, name, wide, slots);
    },
    async stop() {
      slots.close();
      await Promise.all(processes.map(({ child }) => stopChild(child)));
    },
  };
}
