import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SpeechInterval, startDeepgramSimulator } from '../fixtures/simulators/deepgram.ts';
import { startElevenLabsSimulator } from '../fixtures/simulators/elevenlabs.ts';
import { contentText, startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { loadSpeech } from '../fixtures/speech.ts';
import { LINE_RATE } from '../media/audio/format.ts';
import { lowerOtherThreadsPriority } from '../media/thread-priority.ts';
import { createLogger, errorText } from '../shared/log.ts';
import { percentiles } from '../shared/percentiles.ts';
import { type MediaProgram, startMediaProgram } from '../test/support/media-program.ts';
import { providerSettings } from '../test/support/simulated-providers.ts';
import { type CapacitySize, capacityHeader, capacityRow, reportCapacity } from './capacity-report.ts';
import { keepCoresAwake, pin, raisePriority } from './cores.ts';
import type { LoadLine, LoadPhone, LoadPhones, ReceivedTurn } from './load-caller.ts';
import { CARRIER_LINE } from './load-phone.ts';
import { thisMachine } from './machine.ts';
import { cpuSeconds, descendantsOf, residentBytes } from './processes.ts';
import { lagCountsSince, lagPercentiles, tickLagCounts } from './tick-lag.ts';
import { startTlsFront } from './tls-front.ts';
import { WEB_LINE } from './web-load-phone.ts';

/**
 * `make capacity`: the number of calls that one media process sustains on one core. The process with all threads is pinned to the
 * first core; callers, simulated providers, NATS and the substitute of control share the second. Each size has its own media
 * process, warmed up by three calls. A call has about 20 seconds, three turns and line noise, and is recorded unless RECORD=0.
 *
 * - engine added, per turn: the sum of four parts: the frame with the caller's last sample sent → that sample at the transcriber;
 *   end of turn sent → request at the model; first token → first text at the synthesizer; first audio → first frame at the
 *   caller. Simulators' work and timers are excluded; sockets are included.
 * - all included: from the caller's last sample to the agent's first frame, less the scripted delays.
 * - spoiled: turns in which the measuring process itself stalled for 20 ms or more; they are excluded from latencies and frames.
 *   A busy machine spoils many.
 * - late frames: gaps of more than 40 ms between two frames of the agent within one turn; dry: the gap was audible.
 * - CPU: user and system time of the media process while the calls lasted, per minute of call.
 * - memory: resident memory with all calls up, less that before them.
 *
 * CALLS=1,50 sets the sizes; PROFILE=folder writes CPU profiles of media; AWAKE=1 keeps idle cores awake, which the CPU time of few calls
 * needs on a virtual machine (`bench/bare-relay.ts` does as well). Rows of their own: NOISE=1 with noise cancellation, TLS=1
 * with TLS to the providers, whose certificate media checks, CAPTURE=1 with every call captured, BROWSER=1 with callers over WebRTC, where
 * mediasoup's worker is counted and pinned with media. The plain end of TLS is a further
 * hop in the measuring process, and its time is in the latencies. PROCESSES=2 has as many engines under a supervisor, each pinned to a
 * core of its own, which share the calls; the rest is on the core after them. Where there is none, it is beside the last engine,
 * and only the processor time says what several cores carry.
 */

const SIZES = (process.env.CALLS ?? '1,10,25,50,100,150,200').split(',').map(Number);
const TURNS = 3;
/** Smaller sizes are repeated until there are this many turns. */
const MIN_TURNS = Number(process.env.TURNS ?? 24);
const NOISE = process.env.NOISE === '1';
const TLS = process.env.TLS === '1';
const CAPTURE = process.env.CAPTURE === '1';
const BROWSER = process.env.BROWSER === '1';
const PROCESSES = Number(process.env.PROCESSES ?? 1);
/** Of everything that is not measured. */
const LOAD_CORE = Math.min(PROCESSES, availableParallelism() - 1);
const RECORD = process.env.RECORD !== '0';
const AWAKE = process.env.AWAKE === '1';
/** Admission control of media; refused calls count as failed. */
const ADMISSION = process.env.ADMISSION ?? 'fixed';
const PROFILE = process.env.PROFILE ?? '';
const END_OF_TURN_MS = 200;
const FIRST_TOKEN_MS = 250;
const FIRST_AUDIO_MS = 120;
const SCRIPTED_MS = END_OF_TURN_MS + FIRST_TOKEN_MS + FIRST_AUDIO_MS;
/** Interval between call starts; all start within eight seconds. */
const APART_MS = 100;
const WITHIN_MS = 8_000;
const LAST_CALL_MS = 60_000;
const WARM_UP_CALLS = 3;
const SAMPLE_MS = 500;
const ANSWER = 'Certainly, I have a table for two people by the window, and it is yours.';
/** Names of the four parts in the results. */
const STAGES = ['audio', 'request', 'text', 'frame'];
const LINE: LoadLine<unknown> = BROWSER ? WEB_LINE : CARRIER_LINE;
const QUESTIONS = ['short-two-people', 'short-friday-evening', 'short-seven-thirty'].map((name) => {
  const speech = loadSpeech(name);
  return { text: speech.text, speech: speech.speech, frames: LINE.framesOf(speech.samples) };
});

interface Turn {
  spoiled: boolean;
  added: number;
  stages: number[];
  included: number;
  lateFrames: number;
  dry: number;
  gaps: number;
  worstGapMs: number;
}

type Providers = Awaited<ReturnType<typeof startProviders>>;

async function startProviders() {
  const calls = new Map<string, { truth: SpeechInterval[]; said: string[] }>();
  const stt = await startDeepgramSimulator({
    // The key term selects the script of the call.
    script: ({ query }) => {
      const call = calls.get(query.get('keyterm') ?? '')!;
      return {
        truth: call.truth,
        turns: (index) => ({ text: call.said[index] ?? '', endAfterMs: END_OF_TURN_MS, eagerAfterMs: null }),
      };
    },
  });
  const llm = await startOpenAiSimulator({ firstTokenMs: FIRST_TOKEN_MS, answer: () => ({ text: ANSWER }) });
  const tts = await startElevenLabsSimulator({ firstAudioMs: FIRST_AUDIO_MS });
  return {
    calls,
    stt,
    llm,
    tts,
    settings: providerSettings({ stt, llm, tts }),
    async close() {
      await Promise.all([stt.close(), llm.close(), tts.close()]);
    },
  };
}

async function main(): Promise<void> {
  const pinned = pin(process.pid, LOAD_CORE);
  const preferred = raisePriority();
  lowerOtherThreadsPriority(createLogger('bench', 'warn'));
  const letCoresSleep = AWAKE ? keepCoresAwake() : () => {};
  const place = pinned
    ? `${placeOfMedia()}, everything else on core ${LOAD_CORE}`
    : 'not pinned: there is one core, or no taskset';
  const rank = preferred ? 'ahead of what else runs here' : 'beside what else runs here';
  const loadBefore = loadavg()[0]!.toFixed(1);
  console.log(`${place}; ${rank}; load of the machine before: ${loadBefore}\n`);
  const sizes: CapacitySize[] = [];
  console.log(capacityHeader());
  for (const calls of SIZES) {
    const size = await measure(calls);
    sizes.push(size);
    console.log(capacityRow(size));
  }
  letCoresSleep();
  const machine = { ...thisMachine(), pinned, preferred, load_before: Number(loadBefore) };
  const conditions = {
    ...{ machine, awake: AWAKE, recorded: RECORD, noise_cancellation: NOISE, admission: ADMISSION },
    ...{ tls: TLS, captured: CAPTURE, browser: BROWSER, processes: PROCESSES },
  };
  const several = PROCESSES > 1 ? `-${PROCESSES}-processes` : '';
  const suffix = `${several}${BROWSER ? '-browser' : ''}${NOISE ? '-denoised' : ''}${TLS ? '-tls' : ''}${CAPTURE ? '-captured' : ''}`;
  reportCapacity(sizes, conditions, process.env.RESULTS ?? `capacity${suffix}.json`);
}

function placeOfMedia(): string {
  return PROCESSES === 1 ? 'media on core 0' : `${PROCESSES} engines on cores 0 to ${PROCESSES - 1}`;
}

async function measure(calls: number): Promise<CapacitySize> {
  const providers = await startProviders();
  const exchange = LINE.createPhones();
  const profiler = PROFILE === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${PROFILE}`];
  const front = TLS ? await startTlsFront(providers.settings) : null;
  const captures = CAPTURE ? mkdtempSync(join(tmpdir(), 'antiphon-captures-')) : null;
  const settings = {
    ...(front ?? providers).settings,
    ...(captures !== null && { CAPTURES_DIR: captures }),
    ...{ LOG_LEVEL: 'warn', MAX_CALLS: '10000', ADMISSION },
    ...(PROCESSES > 1 && { MEDIA_PROCESSES: String(PROCESSES), PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}' }),
  };
  const program = await startMediaProgram(settings, profiler);
  try {
    const engines = PROCESSES > 1 ? await program.engines((all) => all.length === PROCESSES) : [program];
    engines.forEach(({ pid }, core) => void pin(pid, core));
    const call = (number: number, name: string) =>
      oneCall({ program, engine: engines[number % engines.length]!, providers, exchange }, name);
    await Promise.all(Array.from({ length: WARM_UP_CALLS * PROCESSES }, (_, number) => call(number, `warm-${number}`)));
    await sleep(1_000);
    // A browser call's transport is a process of its own.
    const measured = [program.pid, ...descendantsOf(program.pid)];
    const usage = () => ({ cpuSeconds: cpuSeconds(measured), rssBytes: residentBytes(measured) });
    const before = { ...usage(), ticks: await tickLagCounts(program.port), load: process.cpuUsage() };
    const startMs = performance.now();
    let rssBytes = before.rssBytes;
    const watch = setInterval(() => {
      rssBytes = Math.max(rssBytes, residentBytes(measured));
    }, SAMPLE_MS);
    const rounds = Math.max(1, Math.ceil(MIN_TURNS / TURNS / calls));
    const frames = { ...exchange.lateness };
    const apartMs = Math.min(APART_MS, WITHIN_MS / calls);
    const done = await Promise.all(
      Array.from({ length: calls }, async (_, number) => {
        await sleep(number * apartMs);
        const results: { turns: Turn[]; minutes: number; failed: boolean }[] = [];
        for (let round = 0; round < rounds; round++) {
          results.push(await call(number, `call-${number}-${round}`));
        }
        return results;
      }),
    );
    clearInterval(watch);
    const after = { ...usage(), ticks: await tickLagCounts(program.port) };
    const seconds = (performance.now() - startMs) / 1_000;
    const load = process.cpuUsage(before.load);
    const all = done.flat();
    const turns = all.flatMap((call) => call.turns);
    const minutes = all.reduce((sum, call) => sum + call.minutes, 0);
    const clean = turns.filter((turn) => !turn.spoiled);
    // If all turns are spoiled, report them anyway.
    const judged = clean.length > 0 ? clean : turns;
    const gaps = judged.reduce((sum, turn) => sum + turn.gaps, 0);
    const sent = exchange.lateness.frames - frames.frames;
    const violations = [...providers.stt.violations, ...providers.tts.violations];
    if (violations.length > 0) throw new Error(`the engine broke a provider's rules: ${violations[0]}`);
    const lags = lagCountsSince(before.ticks, after.ticks);
    const usedSeconds = after.cpuSeconds - before.cpuSeconds;
    return {
      calls,
      turns: turns.length,
      spoiled: turns.length - clean.length,
      failed: all.filter((call) => call.failed).length,
      engine_added_ms: percentiles(judged.map((turn) => turn.added)),
      stages_ms: Object.fromEntries(
        STAGES.map((stage, at) => [stage, percentiles(judged.map((turn) => turn.stages[at]!))]),
      ),
      all_included_ms: percentiles(judged.map((turn) => turn.included)),
      late_frame_share: rounded(judged.reduce((sum, turn) => sum + turn.lateFrames, 0) / gaps, 6),
      dry_gaps: judged.reduce((sum, turn) => sum + turn.dry, 0),
      worst_gap_ms: rounded(Math.max(...judged.map((turn) => turn.worstGapMs)), 0),
      cpu_seconds_per_call_minute: rounded(usedSeconds / minutes, 3),
      core_share: rounded(usedSeconds / seconds, 3),
      mb_per_call: rounded((rssBytes - before.rssBytes) / 2 ** 20 / calls, 2),
      rss_mb: rounded(rssBytes / 2 ** 20, 0),
      loop_lag_ms: lagPercentiles(lags),
      worst_loop_lag_ms: lags.findLastIndex((count) => count > 0) + 1,
      load: {
        core_share: rounded((load.user + load.system) / 1e6 / seconds, 3),
        late_frame_share: rounded((exchange.lateness.late - frames.late) / sent, 4),
      },
    };
  } catch (error) {
    throw new Error(`${calls} calls: ${errorText(error)}; end of the engine's log:\n${program.tail(8)}`);
  } finally {
    exchange.close();
    await program.stop();
    await providers.close();
    front?.close();
    if (captures !== null) rmSync(captures, { recursive: true, force: true });
  }
}

interface LoadSetup {
  program: MediaProgram;
  /** Has the call. */
  engine: Pick<MediaProgram, 'port'>;
  providers: Providers;
  exchange: LoadPhones<unknown>;
}

async function oneCall({ program, engine, providers, exchange }: LoadSetup, name: string) {
  const script = { truth: [] as SpeechInterval[], said: [] as string[] };
  providers.calls.set(name, script);
  const {
    id,
    path,
    ended: over,
  } = program.admit(
    {
      system_prompt: name,
      transcriber: { provider: 'deepgram_flux', model: 'flux-general-en', keyterms: [name] },
      voice: { provider: 'elevenlabs', voice_id: name, language: 'en' },
      call: { record: RECORD, noise_cancellation: NOISE },
    },
    LINE.carrier,
  );
  const startMs = performance.now();
  const turns: Turn[] = [];
  let failed = false;
  try {
    const phone = await exchange.open({ port: engine.port, path, streamSid: `MZ${id}`, callSid: `CA${id}` });
    await sleep(1_500);
    const questions: Asked[] = [];
    for (let number = 0; number < TURNS; number++) questions.push(await ask(phone, script, number));
    phone.hangUp();
    await over(LAST_CALL_MS);
    turns.push(...stagesOf({ providers, exchange }, name, questions));
  } catch (error) {
    failed = true;
    console.error(`${name} failed: ${errorText(error)}`);
  }
  return { turns, minutes: (performance.now() - startMs) / 60_000, failed };
}

interface Asked {
  spokenMs: number;
  phone: ReceivedTurn;
}

/** Asks one question and waits for the end of the reply. */
async function ask(phone: LoadPhone<unknown>, script: { truth: SpeechInterval[]; said: string[] }, number: number) {
  const question = QUESTIONS[number % QUESTIONS.length]!;
  const end = question.speech.at(-1)!.end;
  script.said.push(question.text);
  const startSample = phone.say(question.frames);
  const perSample = LINE.transcriberHertz / LINE_RATE;
  script.truth.push({
    start: perSample * (startSample + question.speech[0]!.start),
    end: perSample * (startSample + end),
  });
  const { turn } = phone;
  const deadlineMs = performance.now() + LAST_CALL_MS;
  while (turn.frames === 0 || performance.now() - turn.lastMs < 900) {
    if (phone.isOver) throw new Error('the engine ended the call');
    if (performance.now() > deadlineMs) throw new Error('no answer');
    await sleep(50);
  }
  return { spokenMs: phone.sentMs(startSample + end - 1), phone: turn };
}

/** Computes the parts of each turn from the simulators' records. */
function stagesOf(
  { providers, exchange }: Pick<LoadSetup, 'providers' | 'exchange'>,
  name: string,
  asked: readonly Asked[],
): Turn[] {
  const { stt, llm, tts } = providers;
  const connection = stt.connections.find(({ query }) => query.get('keyterm') === name)!;
  const ends = connection.events.filter((event) => event.event === 'EndOfTurn');
  const requests = llm.requests.filter(({ body }) => body && contentText(body.messages[0]!).includes(name));
  const contexts = tts.connections
    .filter(({ voiceId }) => voiceId === name)
    .flatMap((connection) => connection.contexts);
  return asked.map(({ spokenMs, phone }, at) => {
    const request = requests[at]!;
    const context = contexts[at]!;
    const stages = [
      connection.speech[at]!.lastAt - spokenMs,
      request.arrivedMs - ends[at]!.at,
      context.firstTextAt! - request.firstTokenMs!,
      phone.firstMs - context.firstAudioAt!,
    ];
    return {
      spoiled: exchange.stalls.some(({ fromMs, toMs }) => fromMs < phone.lastMs && toMs > spokenMs),
      added: stages.reduce((sum, ms) => sum + ms, 0),
      stages,
      included: phone.firstMs - spokenMs - SCRIPTED_MS,
      lateFrames: phone.lateFrames,
      dry: phone.dry,
      gaps: phone.frames - 1,
      worstGapMs: phone.worstGapMs,
    };
  });
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

await main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
