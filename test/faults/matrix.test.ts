import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { type BookingCall, PHASES, type Phase, startBookingCall } from './booking-call.ts';
import { createFailingEngine } from './engine.ts';
import { createFailure, KINDS, type Kind, PARTS, type Part, SHARED_PARTS } from './failure.ts';
import { brokenInvariants } from './invariants.ts';

/**
 * Every part of a call fails in every way in every phase of a conversation. The call goes on, or ends with a reason in time;
 * another call of the engine notices nothing, and nothing is left behind.
 */

/** Providers whose agent may have another to fall back to. */
const WITH_FALLBACK: readonly Part[] = ['transcriber', 'model', 'synthesizer'];
/** After the other call, so that both are not in the same phase. */
const STARTS_AFTER_MS = 700;
const LONGEST_CALL_S = 400;
/** A call that a failure ends is over within this time of it: a caller is asked twice before a mute transcriber is connected again. */
const ENDS_WITHIN_MS = 40_000;

interface Outcome {
  /** What the table shows. */
  text: string;
  ok: boolean;
}

const rows = [
  ...PARTS.map((part) => ({ part, hasFallbacks: false })),
  ...WITH_FALLBACK.map((part) => ({ part, hasFallbacks: true })),
];
const table = new Map<string, Outcome>();

/** What a call did, to compare two runs of it. */
function recordOf(call: BookingCall): unknown {
  const events = call.events.map(({ at_ms, type, message, latency_ms, transcript }) => [
    ...[at_ms, type, message, latency_ms],
    transcript.map(({ role, text, interrupted }) => [role, text, interrupted]),
  ]);
  return { events, frames: call.line.framesMs, end: call.end() };
}

/** Pauses in the agent's sound within a reply, in frames that came late; a reply begins after a pause of the agent. */
function lateFrames({ line: { framesMs } }: BookingCall): number {
  let late = 0;
  for (let at = 1; at < framesMs.length; at++) {
    const gapMs = framesMs[at]! - framesMs[at - 1]!;
    if (gapMs > 20 && gapMs < 200) late++;
  }
  return late;
}

async function play(failure: { part: Part; kind: Kind; phase: Phase; hasFallbacks: boolean } | null) {
  const clock = createVirtualClock();
  const struck = failure && createFailure(failure.part, failure.kind, clock);
  const engine = createFailingEngine(clock, failure && SHARED_PARTS.includes(failure.part) ? struck : null);
  const other = startBookingCall(engine, { id: 'd'.repeat(32) });
  await clock.advance(STARTS_AFTER_MS);
  const call = startBookingCall(engine, {
    id: 'c'.repeat(32),
    failure: struck,
    hasFallbacks: failure?.hasFallbacks ?? false,
    onPhase: (phase) => {
      if (phase === failure?.phase) struck?.strike();
    },
  });
  for (let second = 0; second < LONGEST_CALL_S && !(call.end() && other.end()); second++) await clock.advance(1_000);
  const end = call.end();
  // A recording is given up a minute after its call; events are kept until the bus takes them.
  await clock.advance(80_000);
  struck?.heal();
  await clock.advance(10_000);
  await engine.close();
  return { clock, engine, struckMs: struck?.struckMs ?? null, call, other, end };
}

type Played = Awaited<ReturnType<typeof play>>;

function outcomeOf({ end, struckMs, call }: Played): Outcome {
  if (!end) return { text: 'never ends', ok: false };
  if (struckMs === null) return { text: 'was not struck', ok: false };
  const { hangup_reason } = end.end;
  const seconds = ((end.atMs - struckMs) / 1_000).toFixed(1);
  if (call.gaveUp()) return { text: `caller gave up after ${seconds} s`, ok: false };
  const repetitions = call.repetitions();
  const again = repetitions === 0 ? '' : `, ${repetitions} × again`;
  if (hangup_reason === 'agent ended the call') return { text: `goes on${again}`, ok: true };
  if (hangup_reason === 'caller hung up') return { text: `caller leaves${again}`, ok: true };
  return { text: `${hangup_reason}, ${seconds} s`, ok: end.atMs - struckMs <= ENDS_WITHIN_MS };
}

/** What is wrong in a cell, in words; empty when nothing is. */
function problemsOf(played: Played, reference: Played, part: Part): string[] {
  const { other } = played;
  const { text, ok } = outcomeOf(played);
  const otherEnd = other.end()?.end.hangup_reason;
  const same = SHARED_PARTS.includes(part) || isDeepStrictEqual(recordOf(other), recordOf(reference.other));
  const late = lateFrames(other) - lateFrames(reference.other);
  return [
    ok ? '' : text,
    otherEnd === 'agent ended the call' ? '' : `the other call: ${otherEnd}`,
    same ? '' : 'the other call took another course',
    late <= 0 ? '' : `${late} late frames in the other call`,
    ...brokenInvariants(played),
  ].filter((problem) => problem !== '');
}

/** All of them with ALL=1, else one, another one for every part and failure. */
function phasesOf(part: Part, kind: Kind): Phase[] {
  const first = PARTS.indexOf(part) * 3 + KINDS.indexOf(kind) * 2;
  return PHASES.filter((_, at) => process.env.ALL || (at + first) % PHASES.length === 0);
}

const rejections: unknown[] = [];
const listen = (reason: unknown) => void rejections.push(reason);
let reference: Played;
beforeAll(async () => {
  process.on('unhandledRejection', listen);
  reference = await play(null);
});

test.each(rows)('$part, another to fall back to: $hasFallbacks', async ({ part, hasFallbacks }) => {
  const problems: string[] = [];
  for (const kind of KINDS) {
    for (const phase of phasesOf(part, kind)) {
      const played = await play({ part, kind, phase, hasFallbacks });
      table.set([part, hasFallbacks, kind, phase].join(), outcomeOf(played));
      for (const problem of problemsOf(played, reference, part)) problems.push(`${kind} in ${phase}: ${problem}`);
      for (const reason of rejections.splice(0)) problems.push(`${kind} in ${phase}: unhandled rejection: ${reason}`);
    }
  }
  expect(problems).toEqual([]);
});

afterAll(() => {
  process.off('unhandledRejection', listen);
  if (!process.env.ALL) return;
  const lines = rows.flatMap(({ part, hasFallbacks }) =>
    KINDS.map((kind) => {
      const cells = PHASES.map((phase) => table.get([part, hasFallbacks, kind, phase].join())?.text ?? '-');
      return [hasFallbacks ? `${part}, fallback` : part, kind, ...cells];
    }),
  );
  const all = [['part', 'failure', ...PHASES], ...lines];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)));
  console.log(all.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n'));
});
