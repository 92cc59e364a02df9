import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadPhone, LoadPhones } from '../../bench/load-caller.ts';
import { createLoadPhones, framesOf } from '../../bench/load-phone.ts';
import { lagCountsSince, lagPercentiles, tickLagCounts } from '../../bench/tick-lag.ts';
import type { SpeechInterval } from '../../fixtures/simulators/deepgram.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { errorText } from '../../shared/log.ts';
import { type MediaProgram, startMediaProgram } from '../support/media-program.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { pause } from '../support/until.ts';
import { type Amounts, amountsHeader, amountsLine, amountsOf, grown, growth } from './growth.ts';

/**
 * `make churn`: 50 concurrent calls that come and go for 20 minutes (SECONDS, CALLS) in one media process. Calls last 5 to 40
 * seconds; some are recorded, some have ambient sound or noise cancellation; callers ask, interrupt the reply, or hang up during
 * it. Compares the process' resources under load, early and late, and without calls, before and after, and the tick lag. Exit
 * code 1 when something grows or a call fails.
 */

const SECONDS = Number(process.env.SECONDS ?? 1_200);
const CALLS = Number(process.env.CALLS ?? 50);
const SAMPLES = 40;
/** Shares of the time: the warm-up is ignored, then the first quarter is compared with the last. */
const WARM_UP_SHARE = 0.2;
/** Warm-up calls before the first sample without calls; they fill caches and pools. */
const WARM_UP_CALLS = CALLS;
/**
 * Under load the mix of calls varies between samples: a call holds about 5 descriptors and 8 listeners. A leak of one object per
 * call would be hundreds.
 */
const BUSY_BOUNDS: Amounts = {
  ...{ heapMiB: 12, rssMiB: 48, externalMiB: 12, fds: 24 },
  ...{ threads: 2, resources: 24, listeners: 48 },
};
const EMPTY_BOUNDS: Amounts = {
  ...{ heapMiB: 8, rssMiB: 64, externalMiB: 4, fds: 4 },
  ...{ threads: 2, resources: 4, listeners: 4 },
};
/** Allowed growth of the 99th percentile of tick lag. */
const LAG_MAY_GROW_MS = 5;
const LAG_MAY_GROW_TIMES = 2;
/**
 * Samples in which more of the callers' frames were late show a stall of the machine, not of the engine; lag is judged only with
 * this many other samples in each quarter.
 */
const CALM_LATE_SHARE = 0.02;
const CALM_SAMPLES = 3;
/** A failed call during such a stall of this process does not count. */
const STOOD_STILL_MS = 500;
/** Connections to the model are kept open for 90 seconds. */
const POOLS_EMPTY_MS = 95_000;
const ANSWER_WITHIN_MS = 30_000;
const END_WITHIN_MS = 60_000;
const QUIET_MS = 500;
/** Contains none of the callers' words, which would count as echo. */
const ANSWER = 'Certainly, that is no trouble at all, and I have written it down now.';
const QUESTIONS = ['short-two-people', 'short-friday-evening', 'short-seven-thirty', 'change-time'].map((name) => {
  const { text, speech, samples } = loadSpeech(name);
  return { text, start: speech[0]!.start, end: speech.at(-1)!.end, frames: framesOf(samples) };
});

interface Script {
  truth: SpeechInterval[];
  said: string[];
}

interface LoadSetup {
  program: MediaProgram;
  exchange: LoadPhones;
  scripts: Map<string, Script>;
}

interface BusySample {
  amounts: Amounts;
  lagP99Ms: number;
  /** Share of the callers' frames that were late since the previous sample. */
  lateShare: number;
}

const counted = { begun: 0, ended: 0, failed: 0, spoiled: 0, live: 0 };

async function main(): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  const recordings = mkdtempSync(join(tmpdir(), 'antiphon-churn-'));
  closing.push(async () => rmSync(recordings, { recursive: true, force: true }));
  try {
    const scripts = new Map<string, Script>();
    const { stt, llm, tts, ...providers } = await startSimulatedProviders({
      stt: {
        // The key term selects the script of the call.
        script: ({ query }) => {
          const script = scripts.get(query.get('keyterm') ?? '')!;
          return { truth: script.truth, turns: (index) => ({ text: script.said[index] ?? '', eagerAfterMs: null }) };
        },
      },
      llm: { answer: () => ({ text: ANSWER }) },
    });
    closing.push(() => providers.close());
    const program = await startMediaProgram({
      ...providers.settings,
      RECORDINGS_DIR: recordings,
      MAX_CALLS: String(2 * CALLS),
      LOG_LEVEL: 'warn',
    });
    closing.push(() => program.stop());
    const exchange = createLoadPhones();
    closing.push(async () => exchange.close());
    const setup = { program, exchange, scripts };
    /** Drops the simulators' records of finished calls, which would fill the memory. */
    const forget = () => {
      for (const list of [stt.connections, llm.requests, tts.connections]) list.length = 0;
      for (const file of readdirSync(recordings)) if (file.endsWith('.wav')) rmSync(join(recordings, file));
    };

    console.log(
      `${CALLS} calls at once, ${SECONDS} seconds\n\n${amountsHeader('seconds', 'live', 'calls', 'failed', 'spoiled', 'lag p99', 'load late')}`,
    );
    await Promise.all(
      Array.from({ length: WARM_UP_CALLS }, async (_, number) => {
        await pause(number * 50);
        await oneCall(setup, number);
      }),
    );
    const before = await sampleWithoutCalls(program);
    const samples = await busy(setup, forget).catch((error: unknown) => {
      throw new Error(`${errorText(error)}; end of the engine's log:\n${program.tail(8)}`);
    });
    const after = await sampleWithoutCalls(program);
    const violations = providers.violations();
    if (violations.length > 0) throw new Error(`the engine broke a provider's rules: ${violations[0]}`);
    return judge(samples, before, after);
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

async function sampleWithoutCalls(program: MediaProgram): Promise<Amounts> {
  await pause(POOLS_EMPTY_MS);
  const amounts = amountsOf(await program.holdings());
  console.log(
    amountsLine('no calls', amounts, '0', String(counted.ended), String(counted.failed), String(counted.spoiled)),
  );
  return amounts;
}

/** Keeps so many calls going, samples forty times, and waits for the last calls. */
async function busy(setup: LoadSetup, forget: () => void): Promise<BusySample[]> {
  const { program, exchange } = setup;
  const startMs = performance.now();
  const over = () => performance.now() - startMs > SECONDS * 1_000;
  const loops = Promise.all(
    Array.from({ length: CALLS }, async (_, loop) => {
      for (let number = loop; !over(); number += CALLS) {
        await pause(((number * 37) % 20) * 100);
        await oneCall(setup, number);
      }
    }),
  );
  const samples: BusySample[] = [];
  let ticks = await tickLagCounts(program.port);
  let load = { ...exchange.lateness };
  for (let sample = 1; sample <= SAMPLES; sample++) {
    await pause(startMs + (sample / SAMPLES) * SECONDS * 1_000 - performance.now());
    const now = await tickLagCounts(program.port);
    const lagP99Ms = lagPercentiles(lagCountsSince(ticks, now)).p99;
    const amounts = amountsOf(await program.holdings());
    // The sample collects garbage, which delays ticks.
    ticks = await tickLagCounts(program.port);
    const { late, frames } = exchange.lateness;
    const lateShare = (late - load.late) / Math.max(1, frames - load.frames);
    load = { ...exchange.lateness };
    samples.push({ amounts, lagP99Ms, lateShare });
    forget();
    const { live, ended, failed, spoiled } = counted;
    const rest = [live, ended, failed, spoiled, `${lagP99Ms} ms`, `${(lateShare * 100).toFixed(1)} %`].map(String);
    console.log(amountsLine(((performance.now() - startMs) / 1_000).toFixed(0), amounts, ...rest));
  }
  await loops;
  return samples;
}

async function oneCall({ program, exchange, scripts }: LoadSetup, number: number): Promise<void> {
  const script: Script = { truth: [], said: [] };
  const name = `churn ${counted.begun++}`;
  const startMs = performance.now();
  scripts.set(name, script);
  counted.live++;
  const {
    id,
    path,
    ended: over,
  } = program.admit({
    system_prompt: name,
    welcome_message: number % 3 === 0 ? 'Good evening.' : '',
    transcriber: { provider: 'deepgram_flux', model: 'flux-general-en', keyterms: [name] },
    voice: { provider: 'elevenlabs', voice_id: 'churn', language: 'en' },
    call: {
      record: number % 5 === 0,
      noise_cancellation: number % 11 === 0,
      ...(hasAmbientSound(number) ? { ambient_sound: 'office', ambient_volume: 5 } : {}),
    },
  });
  let phone: LoadPhone | null = null;
  try {
    phone = await exchange.open({ port: program.port, path, streamSid: `MZ${id}`, callSid: `CA${id}` });
    await pause(1_000 + (number % 5) * 200);
    await talk(phone, script, number);
    phone.hangUp();
    await over(END_WITHIN_MS);
    counted.ended++;
  } catch (error) {
    const stoodStill = exchange.stalls.some(({ fromMs, toMs }) => toMs > startMs && toMs - fromMs > STOOD_STILL_MS);
    if (stoodStill) counted.spoiled++;
    else counted.failed++;
    phone?.hangUp();
    const timeline = await over(END_WITHIN_MS).catch(() => []);
    const last = timeline.slice(-3).map((event) => event.message);
    const what = stoodStill ? 'spoiled by the machine' : 'failed';
    console.error(`call ${number} ${what}: ${errorText(error)}; the engine reported: ${last.join(', ') || 'nothing'}`);
  } finally {
    scripts.delete(name);
    counted.live--;
  }
}

/** One to six questions. Every fourth reply is interrupted, every ninth caller hangs up during the last reply. */
async function talk(phone: LoadPhone, script: Script, number: number): Promise<void> {
  const questions = 1 + (number % 6);
  for (let asked = 0; asked < questions; asked++) {
    say(phone, script, asked + number);
    await answered(phone);
    if (number % 9 === 0 && asked === questions - 1) return;
    if ((number + asked) % 4 === 0) {
      await pause(700);
      say(phone, script, asked + number + 1);
      await answered(phone);
    }
    // With ambient sound the end of a reply is inaudible; a reply takes 4.5 seconds.
    if (hasAmbientSound(number)) await pause(5_500);
    else await quiet(phone);
  }
}

function hasAmbientSound(number: number): boolean {
  return number % 7 === 0;
}

function say(phone: LoadPhone, { truth, said }: Script, which: number): void {
  const { text, start, end, frames } = QUESTIONS[which % QUESTIONS.length]!;
  said.push(text);
  const from = phone.say(frames);
  truth.push({ start: from + start, end: from + end });
}

/** Waits for the agent's reply; audio of the previous reply may arrive up to a second after the caller started to speak. */
async function answered(phone: LoadPhone): Promise<void> {
  await pause(1_500);
  const { turn } = phone;
  await soon(phone, 'an answer', () => turn.frames > 0 && performance.now() - turn.lastMs < 1_000);
}

async function quiet(phone: LoadPhone): Promise<void> {
  const { turn } = phone;
  await soon(phone, 'the end of the answer', () => performance.now() - turn.lastMs > QUIET_MS);
}

async function soon(phone: LoadPhone, what: string, ready: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + ANSWER_WITHIN_MS;
  while (!ready()) {
    if (phone.isOver) throw new Error(`waited for ${what}, but the engine ended the call`);
    if (performance.now() > deadlineMs) throw new Error(`waited for ${what}`);
    await pause(50);
  }
}

function judge(samples: readonly BusySample[], before: Amounts, after: Amounts): boolean {
  const warm = samples.slice(Math.round(samples.length * WARM_UP_SHARE));
  const quarter = Math.floor(warm.length / 4);
  const early = warm.slice(0, quarter);
  const late = warm.slice(-quarter);
  const amounts = (samples: readonly BusySample[]) => samples.map((sample) => sample.amounts);

  console.log('\nunder load: the first quarter after the warm-up against the last');
  const busyNames = grown(growth(amounts(early), amounts(late)), BUSY_BOUNDS);
  console.log('\nwithout calls: before against after');
  const emptyNames = grown(growth([before], [after]), EMPTY_BOUNDS);
  const findings = [
    ...busyNames.map((name) => `${name} under load`),
    ...emptyNames.map((name) => `${name} without calls`),
    ...(ticksAreLater(early, late) ? ['the lateness of ticks'] : []),
  ];
  console.log(`calls: ${counted.begun}, failed: ${counted.failed}, spoiled by the machine: ${counted.spoiled}`);
  console.log(findings.length === 0 ? '\nnothing grows' : `\ngrown: ${findings.join(', ')}`);
  return findings.length === 0 && counted.failed === 0;
}

function ticksAreLater(early: readonly BusySample[], late: readonly BusySample[]): boolean {
  const calm = (samples: readonly BusySample[]) =>
    samples
      .filter((sample) => sample.lateShare <= CALM_LATE_SHARE)
      .map((sample) => sample.lagP99Ms)
      .toSorted((a, b) => a - b);
  const [then, now] = [calm(early), calm(late)];
  if (Math.min(then.length, now.length) < CALM_SAMPLES) {
    console.log('\nlateness of ticks: not judged, the machine was too busy');
    return false;
  }
  const median = (values: readonly number[]) => values[Math.floor(values.length / 2)]!;
  const [thenMs, nowMs] = [median(then), median(now)];
  console.log(`\nlateness of ticks, 99th of 100, median of the calm samples: ${thenMs} → ${nowMs} ms`);
  return nowMs > Math.max(thenMs + LAG_MAY_GROW_MS, thenMs * LAG_MAY_GROW_TIMES);
}

process.exit((await main()) ? 0 : 1);
