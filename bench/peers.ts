import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lowerOtherThreadsPriority } from '../media/thread-priority.ts';
import { createLogger, errorText } from '../shared/log.ts';
import { percentiles } from '../shared/percentiles.ts';
import { pin, raisePriority } from './cores.ts';
import { thisMachine } from './machine.ts';
import { type ProviderProcess, startProviderProcess } from './peers/providers.ts';
import { type PeerRow, peerHeader, peerRow, reportPeers } from './peers/report.ts';
import { QUESTIONS, SCRIPTED_MS } from './peers/script.ts';
import type { Caller } from './peers/session-phone.ts';
import { PEER_VERSION, type System, startAntiphon, startPeer, startPeerPerCall } from './peers/systems.ts';
import { cpuSeconds, proportionalMegabytes } from './processes.ts';

/**
 * `make peers`: Antiphon's engine and LiveKit Agents for Node.js, one after the other, with the same simulated providers, recordings
 * and delays. The processes of the system under test are pinned to the first core; callers and providers share the second.
 *
 * - added: from the frame with the caller's last sample sent to the first audio of the agent received, less the delays that the
 *   providers are set to. All of it is measured in this process; the rasters of frames and the lateness of timers are in it.
 * - spoiled: turns in which this process stalled for 20 ms or more; they are excluded.
 * - CPU: user and system time of the processes under test while the calls lasted, per minute of call.
 * - memory: proportional set size (PSS) with all calls up, less that before them; of processes for one call, all of it.
 *
 * The settings of the peer, and what it is spared, are in `peers/livekit-agents.mjs`. CALLS=1,10 sets the sizes, TURNS the least
 * number of turns for each.
 */

const SIZES = (process.env.CALLS ?? '1,10,25').split(',').map(Number);
const MIN_TURNS = Number(process.env.TURNS ?? 18);
/** Interval between call starts. */
const APART_MS = 200;
const QUIET_MS = 900;
const LAST_CALL_MS = 60_000;
/** The recording's last frame and a chunk at the transcriber may be under way at the end. */
const LOST_SECONDS = 0.5;

const SYSTEMS = [
  { name: 'Antiphon, one process', start: (providers: ProviderProcess) => startAntiphon(providers) },
  { name: `LiveKit Agents ${PEER_VERSION}, one process`, start: (providers: ProviderProcess) => startPeer(providers) },
  // With one call it is the same as one process.
  { name: `LiveKit Agents ${PEER_VERSION}, a process per call`, start: startPeerPerCall, from: 2 },
];

interface Turn {
  addedMs: number;
  spoiled: boolean;
}

interface Done {
  turns: Turn[];
  minutes: number;
  failed: boolean;
}

async function main(): Promise<void> {
  install();
  const machine = thisMachine();
  const pinned = pin(process.pid, 1);
  const preferred = raisePriority();
  lowerOtherThreadsPriority(createLogger('bench', 'warn'));
  console.log(`${pinned ? 'pinned' : 'not pinned'}; load of the machine before: ${machine.load_before}\n`);
  console.log(peerHeader());
  const rows: PeerRow[] = [];
  for (const calls of SIZES) {
    for (const { name, start, from = 1 } of SYSTEMS) {
      if (calls < from) continue;
      const row = await measure(name, calls, start);
      rows.push(row);
      console.log(peerRow(row));
    }
  }
  reportPeers(rows, { ...machine, pinned, preferred });
}

/** The packages of the peer are none of the project's own. */
function install(): void {
  const folder = join(import.meta.dirname, 'peers');
  if (existsSync(join(folder, 'node_modules/@livekit/agents'))) return;
  console.log('installing LiveKit Agents ...');
  // Their install scripts only download what is not used here.
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
    // Debian's npm has its modules in a folder that only Debian's Node searches by default.
    env: { ...process.env, NODE_PATH: '/usr/share/nodejs' },
  });
}

async function measure(
  name: string,
  calls: number,
  start: (providers: ProviderProcess, calls: number) => Promise<System>,
): Promise<PeerRow> {
  const providers = await startProviderProcess();
  let system: System | null = null;
  try {
    system = await start(providers, calls);
    const { pids, callers } = system;
    for (const pid of pids) pin(pid, 0);
    const warm = system.perCall ? calls : 3;
    await Promise.all(
      Array.from({ length: warm }, (_, at) => oneCall(system!, providers, `warm-${at}`, at * APART_MS)),
    );
    await sleep(1_000);
    const before = { cpu: cpuSeconds(pids), megabytes: system.perCall ? 0 : proportionalMegabytes(pids) };
    const frames = { ...callers.lateness };
    let megabytes = 0;
    // Reading it stalls this process, so it is read once, when all calls are up and all questions answered.
    const lastAnswered = meeting(calls, () => {
      megabytes = proportionalMegabytes(pids);
    });
    const rounds = Math.max(1, Math.ceil(MIN_TURNS / QUESTIONS.length / calls));
    const done = await Promise.all(
      Array.from({ length: calls }, async (_, number) => {
        const results: Done[] = [];
        for (let round = 0; round < rounds; round++) {
          const beforeEnd = round === rounds - 1 ? lastAnswered : undefined;
          const afterMs = round === 0 ? number * APART_MS : 0;
          results.push(await oneCall(system!, providers, `call-${number}-${round}`, afterMs, beforeEnd));
        }
        return results;
      }),
    );
    const all = done.flat();
    const turns = all.flatMap((call) => call.turns);
    const clean = turns.filter((turn) => !turn.spoiled);
    const minutes = all.reduce((sum, call) => sum + call.minutes, 0);
    const lateness = callers.lateness;
    return {
      system: name,
      calls,
      processes: pids.length,
      turns: turns.length,
      spoiled: turns.length - clean.length,
      failed: all.filter((call) => call.failed).length,
      added_ms: percentiles(clean.map((turn) => turn.addedMs)),
      cpu_seconds_per_call_minute: Number(((cpuSeconds(pids) - before.cpu) / minutes).toFixed(3)),
      mb_per_call: Number(((megabytes - before.megabytes) / calls).toFixed(1)),
      mb: Math.round(megabytes),
      callers_late_share: Number(((lateness.late - frames.late) / (lateness.frames - frames.frames)).toFixed(4)),
    };
  } catch (error) {
    throw new Error(`${name}, ${calls} calls: ${errorText(error)}`);
  } finally {
    await system?.stop();
    await providers.stop();
  }
}

/** Returns a function that `count` callers wait in for each other; `whenMet` runs before any goes on. */
function meeting(count: number, whenMet: () => void): () => Promise<void> {
  let missing = count;
  let goOn = () => {};
  const met = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return () => {
    missing--;
    if (missing === 0) {
      whenMet();
      goOn();
    }
    return met;
  };
}

/** `beforeEnd` is waited for before the call is hung up, also when it failed. */
async function oneCall(
  system: System,
  providers: ProviderProcess,
  name: string,
  afterMs: number,
  beforeEnd: () => Promise<void> = async () => {},
): Promise<Done> {
  await sleep(afterMs);
  const startMs = performance.now();
  const turns: Turn[] = [];
  let failed = false;
  let caller: Caller | null = null;
  try {
    caller = await system.open(name);
    await sleep(1_500);
    let lastSecond = 0;
    for (const number of QUESTIONS.keys()) {
      const { turn, endSecond } = await ask(system, providers, caller, name, number);
      turns.push(turn);
      lastSecond = endSecond;
    }
    const received = await providers.received(name);
    if (received.violations.length > 0) console.error(`a provider's rule was broken: ${received.violations[0]}`);
    // Positions of speech are counted in the audio of one connection from its start.
    if (received.connections !== 1) throw new Error(`${received.connections} connections at the transcriber`);
    if (received.seconds < lastSecond - LOST_SECONDS) throw new Error('the transcriber did not receive all audio');
    if (received.requests < QUESTIONS.length) throw new Error('the model was not asked every question');
  } catch (error) {
    failed = true;
    console.error(`${name} failed: ${errorText(error)}`);
  }
  await beforeEnd();
  await caller?.hangUp().catch((error: unknown) => {
    failed = true;
    console.error(`${name} did not end: ${errorText(error)}`);
  });
  return { turns: failed ? [] : turns, minutes: (performance.now() - startMs) / 60_000, failed };
}

/** Asks one question and waits for the end of the reply. */
async function ask(system: System, providers: ProviderProcess, caller: Caller, name: string, number: number) {
  const question = QUESTIONS[number]!;
  const from = caller.say(number);
  providers.ask(name, question.text, { start: from + question.start, end: from + question.end });
  const deadlineMs = performance.now() + LAST_CALL_MS;
  while (caller.turn.firstMs === 0 || performance.now() - caller.turn.playedMs < QUIET_MS) {
    if (caller.isOver) throw new Error('the call ended early');
    if (performance.now() > deadlineMs) throw new Error('no answer');
    await sleep(50);
  }
  const { firstMs, playedMs } = caller.turn;
  // A sample before the end, which is exclusive.
  const spokenMs = caller.sentMs(from + question.end - 1 / 8_000);
  const spoiled = system.callers.stalls.some((stall) => stall.fromMs < firstMs && stall.toMs > spokenMs);
  const turn: Turn = { addedMs: firstMs - spokenMs - SCRIPTED_MS, spoiled };
  return { turn, endSecond: from + question.end + (playedMs - spokenMs) / 1_000 };
}

await main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
