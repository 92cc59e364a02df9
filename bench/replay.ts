import { parseArgs } from 'node:util';
import { errorText } from '../shared/log.ts';
import { readCapture } from './replay/read-capture.ts';
import { replayInRealTime } from './replay/real.ts';
import { differences, differencesFromCapture, printable, timelineText } from './replay/timeline.ts';
import { replay } from './replay/virtual.ts';

/**
 * `make replay CAPTURE=FILE`: replays a captured call through the current engine, twice, on the virtual clock, and prints how the
 * timeline differs from the captured one. Exit code 1 when the two replays differ from each other, which is a bug of the engine.
 */

const HELP = `usage: replay.ts CAPTURE [--vad rerun|captured] [--quiet] [--real]

  --vad captured     voice activity as it was on the capture, instead of today's from the caller's audio
  --quiet           only what differs
  --real            in real time over real sockets instead: what the caller waits for, then and now
`;

const VAD_MODES = ['rerun', 'captured'] as const;

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      vad: { type: 'string' },
      quiet: { type: 'boolean' },
      real: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const [path] = positionals;
  const vadMode = VAD_MODES.find((mode) => mode === values.vad);
  if (values.help || !path || vadMode !== values.vad) {
    console.log(HELP);
    return values.help ?? false;
  }
  const capture = await readCapture(path);
  if (values.real) {
    const turns = await replayInRealTime(capture, (line) => console.log(line));
    console.log('   answer   then ms    now ms');
    const cell = (ms: number | null) => (ms === null ? '-' : String(Math.round(ms))).padStart(10);
    for (const [index, turn] of turns.entries()) {
      console.log(`${String(index + 1).padStart(9)}${cell(turn.thenMs)}${cell(turn.nowMs)}`);
    }
    return true;
  }
  const options = vadMode === undefined ? {} : { vad: vadMode };
  const first = await replay(capture, options);
  const second = await replay(capture, options);
  if (!values.quiet) console.log(`${timelineText(first.events)}\n`);

  const changed = differencesFromCapture(capture, first.events);
  console.log(
    changed.length === 0
      ? 'as captured'
      : `different from the capture (- captured, + replayed):\n${changed.join('\n')}`,
  );
  for (const what of first.missing) console.log(`not in the capture: ${printable(what)}`);
  if (first.truncated)
    console.log(
      `the capture ends at ${(first.truncated.t / 1_000).toFixed(3)} s, before its call: ${printable(first.truncated.why)}`,
    );
  const same = JSON.stringify(first.events) === JSON.stringify(second.events);
  console.log(same ? 'played twice, the same to the byte' : 'PLAYED TWICE, AND NOT THE SAME:');
  if (!same) console.log(differences(first.events, second.events, 0).join('\n'));
  return same;
}

try {
  process.exit((await main()) ? 0 : 1);
} catch (error) {
  console.error(printable(errorText(error)));
  process.exit(1);
}
