import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { thisMachine } from '../../bench/machine.ts';
import { BOOKING_CALLER } from '../../fixtures/conversations/booking-caller.ts';
import { openBrowserLoad } from '../../fixtures/simulators/browser-load.ts';
import { CHROMIUM } from '../../fixtures/simulators/browser-phone.ts';
import { startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { type NetworkImpairment, startUdpRelay } from '../../fixtures/simulators/udp-relay.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { errorText } from '../../shared/log.ts';
import { startMediaProgram } from '../support/media-program.ts';
import { eventually } from '../support/until.ts';

/**
 * `make netem`: the effect of packet loss and jitter on a browser call. Chromium runs in a network namespace and reaches the
 * engine over a veth pair; in both directions packets are lost and delayed by 10 to 90 ms, each independently (so that they are
 * reordered). tc netem does that where the kernel has it; elsewhere a relay does it to the media packets only. Each case is one
 * call with three turns and a recorded caller, through the local transcriber and synthesizer; only the language model is
 * simulated. Transcripts are judged by the recordings' key words.
 *
 * Needs root, ip (iproute2), Chromium, the worker, pocketsphinx and espeak-ng; prints what is missing, and exits with 0.
 */

const NAMESPACE = `antiphon-${process.pid}`;
const OUTSIDE = `ap${process.pid}a`;
const INSIDE = `ap${process.pid}b`;
const ENGINE_ADDRESS = '10.213.77.1';
const BROWSER_ADDRESS = '10.213.77.2';
const DELAY_MS = 50;
const JITTER_MS = 40;
/** The first call loads models and programs from disk: it is not counted. */
const WARM_UP = 'warm-up';
const CASES: { name: string; impairment: NetworkImpairment | null }[] = [
  { name: WARM_UP, impairment: null },
  { name: 'clean', impairment: null },
  ...[0, 2, 5].map((lossPercent) => ({
    name: `${lossPercent} % loss, ${JITTER_MS} ms jitter`,
    impairment: { lossPercent, delayMs: DELAY_MS, jitterMs: JITTER_MS },
  })),
];
const LINES = ['booking-request', 'booking-when', 'booking-yes'].map(
  (fixture) => BOOKING_CALLER.find((line) => line.fixture === fixture)!,
);
const ANSWER = 'Gladly. A table for two people it is.';
const ANSWER_WITHIN_MS = 60_000;
const AGENT_DONE_MS = 1_500;
const WORKED_SHARE = 0.5;

interface Result {
  name: string;
  turns: number;
  transcripts: string[];
  /** Share of recognized key words. */
  recognized: { words: number; of: number };
  /** From the end of the caller's speech to the agent's first frame, as reported by the engine. */
  turn_latency_ms: number[];
  /**
   * From the end of the caller's recording to the agent's first audio in the browser. Negative where the agent took a pause in the
   * recording for the end of turn.
   */
  answered_ms: number[];
  up: {
    packets: number;
    concealed: number;
    late: number;
    largest_wait_ms: number;
    jitter_ms: number;
    resent: number;
    nacks: number;
  };
  down: {
    packets: number;
    lost: number;
    concealed_share: number;
    buffer_ms: number;
    fec: number;
    nacks: number;
    loud_seconds: number;
  };
  round_trip_ms: number;
  dropped: { up: number; down: number } | null;
}

async function main(): Promise<void> {
  const missing = whatIsMissing();
  if (missing !== '') {
    console.log(`a browser's call over a bad network is not tested here: ${missing}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'browser-network-'));
  try {
    makeNamespace();
    const netem = setImpairment({ lossPercent: 0, delayMs: 1, jitterMs: 0 });
    setImpairment(null);
    console.log(
      netem ? 'tc netem makes the impairment' : 'this kernel has no netem: a relay on the way makes the impairment',
    );
    const program = join(folder, 'chromium-inside');
    writeFileSync(program, `#!/bin/sh\nexec ip netns exec ${NAMESPACE} ${CHROMIUM} "$@"\n`);
    chmodSync(program, 0o755);
    const results: Result[] = [];
    for (const { name, impairment } of CASES) {
      try {
        const result = await measure(name, impairment, netem, program);
        if (name === WARM_UP) continue;
        results.push(result);
        console.log(rowsOf(results.at(-1)!, results[0]!).join('\n'));
      } catch (error) {
        console.log(`${name}: ${errorText(error)}`);
        process.exitCode = 1;
      }
    }
    for (const { name, turns, recognized, down } of results) {
      const works = turns === LINES.length && recognized.words >= WORKED_SHARE * recognized.of && down.loud_seconds > 3;
      if (works) continue;
      console.log(`${name}: the call does not work`);
      process.exitCode = 1;
    }
    const file = join(import.meta.dirname, '../../bench/results/browser-network.json');
    const by = netem ? 'tc netem' : 'a relay in user space, drawn as netem draws';
    const facts = { machine: thisMachine(), impaired_by: by, delay_ms: DELAY_MS, jitter_ms: JITTER_MS, results };
    writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`);
    console.log('the same in bench/results/browser-network.json');
  } finally {
    removeNamespace();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  name: string,
  impairment: NetworkImpairment | null,
  netem: boolean,
  program: string,
): Promise<Result> {
  const llm = await startOpenAiSimulator({ firstTokenMs: 50, answer: () => ({ text: ANSWER }) });
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const media = await startMediaProgram({
    MEDIA_HOST: '0.0.0.0',
    OPENAI_BASE_URL: llm.url,
    OPENAI_API_KEY: llm.apiKey,
    LANGUAGE_MODELS_DIR: join(import.meta.dirname, '../../fixtures/language-models'),
    WEB_MEDIA_HOST: netem ? ENGINE_ADDRESS : '127.0.0.1',
    WEB_MEDIA_PORT: String(port),
    WEB_MEDIA_ADDRESS: ENGINE_ADDRESS,
  });
  const relay = netem
    ? null
    : await startUdpRelay({
        host: ENGINE_ADDRESS,
        port,
        target: { host: '127.0.0.1', port },
        ...(impairment ? { impairment } : {}),
      });
  if (netem) setImpairment(impairment);
  const load = await openBrowserLoad({ program });
  try {
    const {
      path,
      events,
      ended: over,
    } = media.admit(
      {
        transcriber: { provider: 'local', model: 'booking', language: 'en' },
        voice: { provider: 'local', voice_id: 'en', language: 'en' },
        call: { record: false },
      },
      'browser',
    );
    const caller = await load.open(`ws://${ENGINE_ADDRESS}:${media.port}${path}`, { listen: true });
    await sleep(2_000);
    for (const [number, { fixture }] of LINES.entries()) {
      await load.say(caller, loadSpeech(fixture).samples);
      await eventually(`the answer to "${fixture}"`, ANSWER_WITHIN_MS, async () => {
        return events.filter(({ type }) => type === 'agent.reply').length > number || null;
      });
      await sleep(AGENT_DONE_MS);
    }
    const report = await load.report(caller);
    const dropped = relay ? await relay.count() : null;
    await load.hangUp(caller);
    await over(ANSWER_WITHIN_MS);
    const line = media
      .tail(40)
      .split('\n')
      .findLast((each) => each.includes('browser stream ended'));
    const leg = JSON.parse(line ?? '{}') as Record<string, number>;
    const transcripts = events.filter(({ type }) => type === 'user.turn').map(({ message }) => message);
    const all = ` ${transcripts.join(' ').toLowerCase()} `;
    const keyWords = LINES.flatMap((each) => each.keyWords);
    return {
      name,
      turns: events.filter(({ type }) => type === 'agent.reply').length,
      transcripts,
      recognized: { words: keyWords.filter((word) => all.includes(` ${word} `)).length, of: keyWords.length },
      turn_latency_ms: events
        .filter(({ type }) => type === 'tts.first_audio')
        .map(({ latency_ms }) => Math.round(latency_ms ?? 0)),
      answered_ms: report.answeredMs.map(Math.round),
      up: {
        packets: leg.packets ?? 0,
        concealed: leg.concealed ?? 0,
        late: leg.late ?? 0,
        largest_wait_ms: leg.largest_wait_ms ?? 0,
        jitter_ms: leg.jitter_ms ?? 0,
        resent: report.resent,
        nacks: report.nacksReceived,
      },
      down: {
        packets: report.received,
        lost: report.lost,
        concealed_share:
          Math.round((1e4 * (report.concealed - report.silentConcealed)) / Math.max(1, report.samples)) / 1e4,
        buffer_ms: Math.round((1_000 * report.bufferSeconds) / Math.max(1, report.bufferSamples)),
        fec: report.fecReceived,
        nacks: report.nacksSent,
        loud_seconds: Math.round(report.loudSeconds * 10) / 10,
      },
      round_trip_ms: Math.round(report.roundTripMs ?? 0),
      dropped: dropped && { up: dropped.up.dropped, down: dropped.down.dropped },
    };
  } catch (error) {
    throw new Error(`${errorText(error)}; end of the engine's log:\n${media.tail(6)}`);
  } finally {
    await load.close();
    await relay?.close();
    await media.stop();
    await llm.close();
  }
}

function rowsOf(result: Result, clean: Result): string[] {
  const { up, down, recognized } = result;
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const of = (dropped: number | undefined) => (dropped === undefined ? '' : ` of ${dropped} dropped on the way`);
  const added = (values: (each: Result) => readonly number[]) => {
    const more = middle(values(result)) - middle(values(clean));
    return `${middle(values(result))} ms (${more >= 0 ? '+' : ''}${more} against clean)`;
  };
  return [
    result.name,
    `  turns ${result.turns} of ${LINES.length}; key words ${recognized.words} of ${recognized.of}: ${result.transcripts.join(' | ')}`,
    `  answer transcripts after ${added((each) => each.answered_ms)}, turn latency in the engine ` +
      `${added((each) => each.turn_latency_ms)}, round trip ${result.round_trip_ms} ms`,
    `  up    ${up.packets} packets, ${up.concealed} frames made up, ${up.late} late, waited up to ${up.largest_wait_ms} ms, ` +
      `jitter ${up.jitter_ms} ms; NACKs ${up.nacks}, sent again ${up.resent}`,
    `  down  ${down.packets} packets, ${down.lost} missing in the end${of(result.dropped?.down)}, ` +
      `${(100 * down.concealed_share).toFixed(1)} % made up, buffer ${down.buffer_ms} ms; ` +
      `NACKs ${down.nacks}, FEC ${down.fec}; speech transcripts for ${down.loud_seconds} s`,
  ];
}

function whatIsMissing(): string {
  if (process.getuid?.() !== 0) return 'it needs root';
  if (spawnSync('ip', ['-V']).error) return 'ip is missing (Debian: iproute2)';
  const check = spawnSync(join(import.meta.dirname, '../../dev/browser-calls.sh'), ['--check']);
  if (check.status !== 0) return "browser calls need `make browser`'s worker and Opus";
  for (const program of [CHROMIUM, 'pocketsphinx_continuous', 'espeak-ng']) {
    if (spawnSync(program, ['--version']).error) return `${program} is missing`;
  }
  const made = spawnSync('ip', ['netns', 'add', NAMESPACE]);
  return made.status === 0 ? '' : 'network namespaces are not allowed here';
}

function makeNamespace(): void {
  const inside = ['netns', 'exec', NAMESPACE, 'ip'];
  ip('link', 'add', OUTSIDE, 'type', 'veth', 'peer', 'name', INSIDE);
  ip('link', 'set', INSIDE, 'netns', NAMESPACE);
  ip('addr', 'add', `${ENGINE_ADDRESS}/30`, 'dev', OUTSIDE);
  ip('link', 'set', OUTSIDE, 'up');
  ip(...inside, 'addr', 'add', `${BROWSER_ADDRESS}/30`, 'dev', INSIDE);
  ip(...inside, 'link', 'set', INSIDE, 'up');
  ip(...inside, 'link', 'set', 'lo', 'up');
  ip(...inside, 'route', 'add', 'default', 'via', ENGINE_ADDRESS);
}

function removeNamespace(): void {
  spawnSync('ip', ['link', 'del', OUTSIDE]);
  spawnSync('ip', ['netns', 'del', NAMESPACE]);
}

function ip(...words: string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Applies netem to both ends of the pair; returns false where the kernel has none. */
function setImpairment(impairment: NetworkImpairment | null): boolean {
  const ends = [
    { device: OUTSIDE, through: [] as string[] },
    { device: INSIDE, through: ['ip', 'netns', 'exec', NAMESPACE] },
  ];
  return ends.every(({ device, through }) => {
    const rule = impairment
      ? ['replace', 'dev', device, 'root', 'netem', 'loss', `${impairment.lossPercent}%`]
          .concat(['delay', `${impairment.delayMs}ms`])
          .concat(impairment.jitterMs > 0 ? [`${impairment.jitterMs}ms`] : [])
      : ['del', 'dev', device, 'root'];
    const [program, ...words] = [...through, 'tc', 'qdisc', ...rule];
    return spawnSync(program!, words).status === 0;
  });
}

await main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
