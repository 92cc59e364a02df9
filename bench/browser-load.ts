import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserLoad, type BrowserLoadReport, openBrowserLoad } from '../fixtures/simulators/browser-load.ts';
import { startUdpRelay, type UdpRelay } from '../fixtures/simulators/udp-relay.ts';
import { loadSpeech } from '../fixtures/speech.ts';
import { errorText } from '../shared/log.ts';
import { type MediaProgram, startMediaProgram } from '../test/support/media-program.ts';
import { startSimulatedProviders } from '../test/support/simulated-providers.ts';
import { eventually } from '../test/support/until.ts';
import { thisMachine } from './machine.ts';
import { childrenOf, commandOf, cpuSeconds, descendantsOf, megabytes, waitedSeconds } from './processes.ts';
import { lagCountsSince, tickLagCounts } from './tick-lag.ts';

/**
 * `make browserload`: 30 concurrent browser calls. One headless Chromium has all callers, each with its own microphone track; the
 * media program runs with its mediasoup worker; the providers are simulated. All share this machine's cores; media and worker
 * have a higher priority than Chromium, which an engine's machine does not run. Callers ask and get replies for SECONDS (45)
 * after all have connected, then hang up; ROUNDS (3) times in the same media process, after one warm-up call.
 *
 * - late frames: a relay in its own thread measures the agent's packets on their way to the browser. A gap is the time between
 *   two frames whose RTP timestamps are 20 ms apart.
 * - received: concealed audio (without silence) and jitter buffer delay in Chromium, from getStats.
 * - upwards: audio that the engine's jitter buffer concealed, from its log.
 * - CPU: of media, worker and Chromium during the calls, in per cent of one core; `load` is this program with the simulated
 *   providers and the relay.
 * - memory: resident, after a garbage collection in media. The first round fills caches and pools; memory has returned when the
 *   last round leaves at most 5 % more than the first.
 *
 * CALLS, SECONDS and ROUNDS override. Exits with 1 when a call failed, the p99 of gaps is over 40 ms or memory grew.
 */

const CALLS = Number(process.env.CALLS ?? 30);
const SECONDS = Number(process.env.SECONDS ?? 45);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** Raises the priority of media's main thread, its worker and the relay's thread; PREFER=0: equal priorities. */
const PREFER = process.env.PREFER !== '0';
const LATE_MS = 40;
const GROWTH_SHARE = 0.05;
const ANSWER_TIMEOUT_MS = 60_000;
const APART_MS = 150;
const PAUSE_MS = 700;
/** An otherwise unused loopback address. */
const RELAY_HOST = '127.0.0.2';
const MEDIA_HOST = '127.0.0.1';
const ANSWER = 'Certainly, I have a table for two people by the window, and it is yours.';
const QUESTIONS = ['short-two-people', 'short-friday-evening', 'short-seven-thirty'].map(loadSpeech);

interface Round {
  calls: number;
  failed: number;
  turns: number;
  gaps: number;
  gap_ms: { p50: number; p99: number; p999: number; worst: number };
  late_frame_share: number;
  relay_lag_p99_ms: number;
  tick_lag_p99_ms: number;
  /** Share of time that media's main thread was runnable but not running. */
  media_waited_percent: number;
  received: { concealed_share: number; buffer_ms: number; lost: number };
  upwards: { packets: number; concealed: number; late: number; largest_wait_ms: number };
  cpu_percent: { media: number; worker: number; chromium: number; load: number };
  memory_mb: { media: number; worker: number; chromium: number };
}

interface Memory {
  media_mb: number;
  media_heap_mb: number;
  worker_mb: number;
  fds: number;
}

const failures: string[] = [];

async function main(): Promise<void> {
  const machine = thisMachine();
  const providers = await startSimulatedProviders({
    stt: { script: { turns: (index) => ({ text: QUESTIONS[index % QUESTIONS.length]!.text, endAfterMs: 500 }) } },
    llm: { firstTokenMs: 100, answer: () => ({ text: ANSWER }) },
    tts: { firstAudioMs: 80 },
  });
  const port = 20_000 + (process.pid % 20_000);
  const program = await startMediaProgram({
    ...providers.settings,
    WEB_MEDIA_HOST: MEDIA_HOST,
    WEB_MEDIA_PORT: String(port),
    WEB_MEDIA_ADDRESS: RELAY_HOST,
  });
  const relay = await startUdpRelay({
    host: RELAY_HOST,
    port,
    target: { host: MEDIA_HOST, port },
    highPriority: PREFER,
  });
  const load = await openBrowserLoad();
  const preferred = PREFER && raisePriority(program.pid);
  if (PREFER) for (const pid of childrenOf(process.pid)) raiseSessionPriority(pid);
  try {
    const setup = { program, relay, load };
    await oneRound(setup, 1, 5);
    const memory: Memory[] = [await memoryOf(program)];
    const rounds: Round[] = [];
    for (let number = 0; number < ROUNDS; number++) {
      rounds.push(await oneRound(setup, CALLS, SECONDS));
      memory.push(await memoryOf(program));
      console.log(rowsOf(rounds.at(-1)!).join('\n'));
    }
    report({ ...machine, preferred }, rounds, memory);
  } finally {
    await load.close();
    await program.stop();
    await Promise.all([relay.close(), providers.close()]);
  }
}

interface LoadSetup {
  program: MediaProgram;
  relay: UdpRelay;
  load: BrowserLoad;
}

async function oneRound({ program, relay, load: browser }: LoadSetup, calls: number, seconds: number): Promise<Round> {
  const failedBefore = failures.length;
  const callers = await Promise.all(
    Array.from({ length: calls }, async (_, number) => {
      await sleep(number * APART_MS);
      const admitted = program.admit(
        {
          transcriber: { provider: 'deepgram_flux', model: 'flux-general-en' },
          voice: { provider: 'elevenlabs', voice_id: 'any', language: 'en' },
          call: { record: false },
        },
        'browser',
      );
      const opened = browser.open(`ws://127.0.0.1:${program.port}${admitted.path}`);
      const caller = await opened.catch((error: unknown) => {
        failures.push(`it could not be opened: ${errorText(error)}`);
        return null;
      });
      return { ...admitted, caller };
    }),
  );
  const open = callers.flatMap(({ caller, ...rest }) => (caller === null ? [] : [{ ...rest, caller }]));
  await relay.count();
  const workerPid = childrenOf(program.pid)[0] ?? program.pid;
  const chromiumPids = childrenOf(process.pid).filter((pid) => pid !== program.pid && /chrom/.test(commandOf(pid)));
  const chromium = () => chromiumPids.flatMap((pid) => [pid, ...descendantsOf(pid)]);
  const before = {
    media: cpuSeconds([program.pid]),
    worker: cpuSeconds([workerPid]),
    chromium: cpuSeconds(chromium()),
    load: process.cpuUsage(),
    waited: waitedSeconds(program.pid),
    ticks: await tickLagCounts(program.port),
    reports: await Promise.all(open.map(({ caller }) => browser.report(caller))),
  };
  const startMs = performance.now();
  let memory = { media: 0, worker: 0, chromium: 0 };
  const watch = setInterval(() => {
    memory = {
      media: Math.max(memory.media, megabytes([program.pid])),
      worker: Math.max(memory.worker, megabytes([workerPid])),
      chromium: Math.max(memory.chromium, megabytes(chromium())),
    };
  }, 2_000);
  let turns = 0;
  await Promise.all(
    open.map(async ({ caller, events }, number) => {
      // Callers must not speak in sync.
      await sleep((number * 3_000) / calls);
      const replies = () => events.filter(({ type }) => type === 'agent.reply').length;
      for (let turn = 0; turn === 0 || performance.now() - startMs < seconds * 1_000; turn++) {
        const answered = replies();
        await browser.say(caller, QUESTIONS[turn % QUESTIONS.length]!.samples);
        try {
          await eventually('an answer', ANSWER_TIMEOUT_MS, async () => replies() > answered || null);
          turns++;
        } catch (error) {
          failures.push(`${errorText(error)} in turn ${turn + 1}, after ${events.map(({ type }) => type).join(' ')}`);
          return;
        }
        await sleep(PAUSE_MS);
      }
    }),
  );
  clearInterval(watch);
  const passed = (performance.now() - startMs) / 1_000;
  const count = await relay.count();
  const load = process.cpuUsage(before.load);
  const waited = waitedSeconds(program.pid) - before.waited;
  const cpu = {
    media: cpuSeconds([program.pid]) - before.media,
    worker: cpuSeconds([workerPid]) - before.worker,
    chromium: cpuSeconds(chromium()) - before.chromium,
    load: (load.user + load.system) / 1e6,
  };
  const ticks = lagCountsSince(before.ticks, await tickLagCounts(program.port));
  const reports = await Promise.all(open.map(({ caller }) => browser.report(caller)));
  const received = reports.map((each, at) => difference(each, before.reports[at]!));
  await Promise.all(
    open.map(async ({ caller, ended: over }) => {
      await browser.hangUp(caller);
      const events = await over(ANSWER_TIMEOUT_MS);
      const bad = events.find(({ level }) => level === 'error');
      if (bad) failures.push(`${bad.type}: ${bad.message}`);
    }),
  );
  const lines = browserStreamLogs(program, open.length);
  const gaps = sum(count.gapCounts);
  const percent = (seconds: number) => Math.round((100 * seconds) / passed);
  return {
    calls,
    failed: failures.length - failedBefore,
    turns,
    gaps,
    gap_ms: {
      p50: rank(count.gapCounts, 0.5),
      p99: rank(count.gapCounts, 0.99),
      p999: rank(count.gapCounts, 0.999),
      worst: Math.max(
        0,
        count.gapCounts.findLastIndex((each) => each > 0),
      ),
    },
    late_frame_share: rounded(sum(count.gapCounts.slice(LATE_MS)) / Math.max(1, gaps), 5),
    relay_lag_p99_ms: rank(count.lagCounts, 0.99),
    tick_lag_p99_ms: rank(ticks, 0.99),
    media_waited_percent: percent(waited),
    received: {
      concealed_share: rounded(
        sum(received.map((each) => each.concealed - each.silentConcealed)) /
          sum(received.map(({ samples }) => samples)),
        5,
      ),
      buffer_ms: Math.round(
        (1_000 * sum(received.map((each) => each.bufferSeconds))) / sum(received.map((each) => each.bufferSamples)),
      ),
      lost: sum(received.map(({ lost }) => lost)),
    },
    upwards: {
      packets: sum(lines.map((line) => line.packets)),
      concealed: sum(lines.map((line) => line.concealed)),
      late: sum(lines.map((line) => line.late)),
      largest_wait_ms: Math.max(0, ...lines.map((line) => line.largest_wait_ms)),
    },
    cpu_percent: {
      media: percent(cpu.media),
      worker: percent(cpu.worker),
      chromium: percent(cpu.chromium),
      load: percent(cpu.load),
    },
    memory_mb: memory,
  };
}

function report(machine: object, rounds: readonly Round[], memory: readonly Memory[]): void {
  console.log('\nmemory after a collection, MB     media   heap  worker  open files');
  for (const [number, each] of memory.entries()) {
    const name = number === 0 ? 'before (after warm-up)' : `after round ${number}`;
    const cells = [each.media_mb, each.media_heap_mb, each.worker_mb, each.fds].map((cell) => String(cell).padStart(7));
    console.log(`${name.padEnd(32)}${cells.join(' ')}`);
  }
  const first = memory[Math.min(1, memory.length - 1)]!;
  const last = memory.at(-1)!;
  // Open files are only shown, because idle connections come and go. The worker's memory is in whole MB.
  const returned =
    last.media_mb <= first.media_mb * (1 + GROWTH_SHARE) &&
    last.media_heap_mb <= first.media_heap_mb * (1 + GROWTH_SHARE) &&
    last.worker_mb <= first.worker_mb * (1 + GROWTH_SHARE) + 1;
  const worst = Math.max(...rounds.map(({ gap_ms }) => gap_ms.p99));
  const verdict = { failures: failures.length, late_p99_ms: worst, within_40_ms: worst <= LATE_MS, returned };
  console.log(
    `\nfailures ${failures.length}; gaps p99 ${worst} ms (40 allowed); memory ${returned ? 'returned' : 'GREW'}`,
  );
  for (const failure of failures.slice(0, 5)) console.log(`  ${failure}`);
  const file = join(import.meta.dirname, 'results/browser-load.json');
  writeFileSync(file, `${JSON.stringify({ machine, seconds: SECONDS, verdict, rounds, memory }, null, 2)}\n`);
  console.log('the same in bench/results/browser-load.json');
  if (failures.length > 0 || !verdict.within_40_ms || !returned) process.exitCode = 1;
}

function rowsOf(round: Round): string[] {
  const { gap_ms: gap, received, upwards, cpu_percent: cpu, memory_mb: memory } = round;
  return [
    `${round.calls} calls, ${round.turns} turns, ${round.failed} failed`,
    `  agent's frames   ${round.gaps} gaps: p50 ${gap.p50}, p99 ${gap.p99}, p99.9 ${gap.p999}, worst ${gap.worst} ms; ` +
      `over ${LATE_MS} ms ${(100 * round.late_frame_share).toFixed(3)} % (the relay's own lag p99 ${round.relay_lag_p99_ms} ms)`,
    `  received         ${(100 * received.concealed_share).toFixed(2)} % made up, buffer ${received.buffer_ms} ms, lost ${received.lost}`,
    `  upwards          ${upwards.packets} packets, ${upwards.concealed} made up, ${upwards.late} late, wait up to ${upwards.largest_wait_ms} ms`,
    `  CPU of one core  media ${cpu.media} %, worker ${cpu.worker} %, Chromium ${cpu.chromium} %, simulators and relay ${cpu.load} %`,
    `  memory, MB       media ${memory.media}, worker ${memory.worker}, Chromium ${memory.chromium}; tick lag p99 ${round.tick_lag_p99_ms} ms, waited for a core ${round.media_waited_percent} %`,
  ];
}

async function memoryOf(program: MediaProgram): Promise<Memory> {
  await sleep(3_000);
  const { rssBytes, heapBytes, fds } = await program.holdings();
  return {
    media_mb: Math.round(rssBytes / 2 ** 20),
    media_heap_mb: rounded(heapBytes / 2 ** 20, 1),
    worker_mb: megabytes(childrenOf(program.pid).slice(0, 1)),
    fds,
  };
}

/** Returns the engine's log entries of the last ended streams. */
function browserStreamLogs(program: MediaProgram, streams: number) {
  const lines = program
    .tail(streams * 12)
    .split('\n')
    .filter((line) => line.includes('browser stream ended'))
    .slice(-streams);
  return lines.map(
    (line) => JSON.parse(line) as { packets: number; concealed: number; late: number; largest_wait_ms: number },
  );
}

type Sums = Omit<BrowserLoadReport, 'answeredMs'>;

function difference({ answeredMs: _answers, ...now }: BrowserLoadReport, before: BrowserLoadReport): Sums {
  const names = Object.keys(now) as (keyof Sums)[];
  return Object.fromEntries(names.map((name) => [name, (now[name] ?? 0) - (before[name] ?? 0)])) as unknown as Sums;
}

/**
 * Raises the priority of the main thread where permitted (chrt(1)), so that the engine's own lag is measured and not that of a
 * busy machine; not of the other threads, which busy-wait for work.
 */
function raisePriority(pid: number): boolean {
  return spawnSync('chrt', ['--rr', '--pid', '1', String(pid)]).status === 0;
}

/** Raises the priority of the session: sched(7), "The autogroup feature". */
function raiseSessionPriority(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '-19');
  } catch {
    // Not permitted, or already exited.
  }
}

/** Returns the quantile of a histogram in whole milliseconds. */
function rank(counts: readonly number[], share: number): number {
  const total = sum(counts);
  let seen = 0;
  for (const [ms, count] of counts.entries()) {
    seen += count;
    if (seen >= share * total) return total === 0 ? 0 : ms;
  }
  return 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

await main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
