import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSpeech, type SpeechAnnotation, speechNames } from '../fixtures/speech.ts';
import { errorText } from '../shared/log.ts';
import {
  LONG_SENTENCE,
  type ScriptedTranscriber,
  startTalkOver,
  type TalkOver,
  type TalkOverResult,
} from '../test/support/talk-over.ts';

/**
 * Measures turn-taking with recorded fixtures, at 8 kHz through a carrier's WebSocket and the media program, in real time: how
 * fast an interruption ducks and pauses the agent, and the effect of coughs, backchannels and pauses. Results are grouped by
 * transcriber, which has the largest influence (`ScriptedTranscriber` in `test/support/talk-over.ts`).
 */

/** Offsets of the caller's start in the agent's sentence, with different phases of the VAD windows. */
const ONSETS_MS = [1_500, 1_707, 1_913].slice(0, Number(process.env.ROUNDS ?? 3));
const TRANSCRIBERS: readonly ScriptedTranscriber[] = ['prompt', 'late', 'local'];
const AT_ONCE = 3;
/** Words may come a second late, before the agent resumes or replies. */
const SETTLE_MS = 2_600;
const KINDS: readonly SpeechAnnotation['kind'][] = ['interruption', 'backchannel', 'cough'];

async function main(): Promise<void> {
  const talkOver = await startTalkOver();
  try {
    await talkOver.listen();
    const recordings = speechNames().map((name) => loadSpeech(name));
    const over: TalkOverResult[] = [];
    for (const stt of TRANSCRIBERS) {
      const trials = KINDS.flatMap((kind) => recordings.filter((recording) => recording.kind === kind)).flatMap(
        ({ name }) => ONSETS_MS.map((afterMs) => ({ name, afterMs })),
      );
      over.push(...(await several(trials, ({ name, afterMs }) => talkOver.over(name, stt, afterMs, SETTLE_MS))));
      console.log(`${stt}: ${trials.length} recordings over the agent`);
    }
    const paused = recordings.filter((recording) => recording.kind === 'speech' && recording.speech.length > 1);
    const pauses = await pausesOf(
      talkOver,
      paused.map(({ name }) => name),
    );
    report(over, pauses);
  } finally {
    await talkOver.close();
  }
}

interface Paused {
  fixture: string;
  stt: ScriptedTranscriber;
  turns: string[];
}

async function pausesOf(talkOver: TalkOver, names: readonly string[]): Promise<Paused[]> {
  const trials = (['prompt', 'local'] as const).flatMap((stt) => names.map((fixture) => ({ fixture, stt })));
  return several(trials, async ({ fixture, stt }) => ({
    fixture,
    stt,
    turns: await talkOver.say(fixture, stt),
  }));
}

/** Runs a few at a time: each mostly waits. */
async function several<T, R>(all: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < all.length; index = next++) results[index] = await run(all[index]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

interface Figures {
  n: number;
  median: number | null;
  max: number | null;
}

function figures(values: readonly (number | null)[]): Figures {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const round = (value: number | undefined) => (value === undefined ? null : Math.round(value));
  return { n: sorted.length, median: round(sorted[(sorted.length - 1) >> 1]), max: round(sorted.at(-1)) };
}

function report(over: readonly TalkOverResult[], pauses: readonly Paused[]): void {
  const shown = ({ n, median, max }: Figures) => (n === 0 ? '-' : `${median} / ${max}`);
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, at) => (at < 2 ? String(cell).padEnd(at === 0 ? 16 : 8) : String(cell).padStart(14))).join('');
  const results: Record<string, object> = {};
  console.log('\nmilliseconds from the first sample of the speech on the wire, median / max\n');
  console.log(
    row(['', 'words', 'ducked frame', 'ducked played', 'silent', 'silenced', 'resumed after', 'reply ended']),
  );
  for (const kind of KINDS) {
    for (const stt of TRANSCRIBERS) {
      const group = over.filter((trial) => trial.kind === kind && trial.transcriber === stt);
      const names = [...new Set(group.map(({ fixture }) => fixture))];
      for (const name of [...names, ...(names.length > 1 ? [`${kind}s`] : [])]) {
        const trials = name === `${kind}s` ? group : group.filter(({ fixture }) => fixture === name);
        const found = {
          times: trials.length,
          ducked_ms: figures(trials.map((trial) => trial.duckedMs)),
          ducked_played_ms: figures(trials.map((trial) => trial.duckedPlayedOutMs)),
          silent_ms: figures(trials.map((trial) => trial.silencedMs)),
          silenced: trials.filter((trial) => trial.silencedMs !== null).length,
          resumed_after_ms: figures(trials.map((trial) => trial.resumedAfterMs)),
          replies_ended: trials.filter((trial) => trial.replyEnded).length,
        };
        results[`${name} ${stt}`] = found;
        const { times, ducked_ms, ducked_played_ms, silent_ms, silenced, resumed_after_ms, replies_ended } = found;
        const parts = [ducked_ms, ducked_played_ms, silent_ms].map(shown);
        const counts = [`${silenced} of ${times}`, shown(resumed_after_ms), `${replies_ended} of ${times}`];
        console.log(row([name, stt, ...parts, ...counts]));
      }
    }
    console.log('');
  }
  console.log('sentences with a pause in the middle: turns made of them');
  for (const { fixture, stt, turns } of pauses)
    console.log(row([fixture, stt, turns.length, `  ${turns.join(' | ')}`]));
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const result = { sentence: LONG_SENTENCE, over: results, pauses };
  writeFileSync(join(folder, 'interruptions.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log('\nthe same in bench/results/interruptions.json');
}

await main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
