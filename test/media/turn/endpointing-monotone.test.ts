import { describe, expect, test } from 'vitest';
import type { TranscriberEvent } from '../../../media/stt/transcriber.ts';
import {
  adaptedEndpointingMs,
  adaptToPause,
  adaptToTurn,
  NO_ADAPTATION,
} from '../../../media/turn/adaptive-endpointing.ts';
import { advanceTurn } from '../../../media/turn/end-of-turn.ts';
import { newTurn, type TurnInput } from '../../../media/turn/turn-state.ts';
import type { TurnDetection } from '../../../shared/agent.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** A larger `endpointing_ms` never waits less, whatever else is the case. */

const SETTINGS = [10, 50, 100, 200, 250, 300, 350, 500, 700, 800, 1_000, 1_200, 2_000, 3_000];
const DETECTIONS: TurnDetection[] = ['responsive', 'balanced', 'patient'];
const TEXTS = [
  'I would like to book a table.',
  'I would like to book a table',
  'I would like to book a table and',
  'my number is nine eight seven',
  'yes',
  '',
];
const END_MS = 2_000;

interface Pause {
  detection: TurnDetection;
  finalizationMs: number;
  interims: { atMs: number; text: string }[];
  final: { afterRequestMs: number; text: string };
  /** The provider finds the pause itself so long after the end of speech; null where it does not. */
  ownFinalMs: number | null;
  prediction: { afterMs: number; probability: number } | null;
  shiftMs: number;
}

describe.each(DETECTIONS)('%s', (detection) => {
  test('the wait at the end of speech grows with the setting', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 60; round++) {
      const pause = drawPause(random, detection);
      const waits = SETTINGS.map((setting) => waitedMs(pause, setting));
      expect(waits, JSON.stringify(pause)).toEqual(waits.toSorted((a, b) => a - b));
    }
  });
});

test('a finished sentence is waited for longer with 800 ms than with 500, and with 500 than with 300', () => {
  const waited = (setting: number) =>
    waitedMs(
      {
        ...{ detection: 'balanced', finalizationMs: 350, interims: [], ownFinalMs: null, prediction: null, shiftMs: 0 },
        final: { afterRequestMs: 120, text: 'That is not a valid conference number.' },
      },
      setting,
    );
  expect([waited(300), waited(500), waited(800)]).toEqual([460, 660, 960]);
});

test('what was learnt from the same pauses grows with the setting', () => {
  const random = seededRandom(11);
  for (let round = 0; round < 200; round++) {
    const learnt = new Map(SETTINGS.map((setting) => [setting, NO_ADAPTATION]));
    for (let turn = 0; turn < 12; turn++) {
      const pauseMs = random() < 0.3 ? 0 : random() * 1_500;
      for (const [setting, before] of learnt) {
        const paused = adaptToPause(before, pauseMs, setting);
        learnt.set(setting, adaptToTurn(paused, pauseMs, setting));
      }
      const delays = [...learnt].map(([setting, adaptation]) => adaptedEndpointingMs(adaptation, setting));
      expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    }
  }
});

function drawPause(random: () => number, detection: TurnDetection): Pause {
  const text = () => TEXTS[Math.floor(random() * TEXTS.length)]!;
  return {
    detection,
    finalizationMs: [0, 350, 900][Math.floor(random() * 3)]!,
    interims: Array.from({ length: Math.floor(random() * 4) }, () => ({ atMs: random() * 2_600, text: text() })),
    final: { afterRequestMs: random() * 1_500, text: text() },
    ownFinalMs: random() < 0.5 ? null : random() * 800,
    prediction: random() < 0.5 ? null : { afterMs: 20 + random() * 300, probability: random() },
    shiftMs: random() * 900 - 150,
  };
}

/** Speech ends at END_MS, which is known 200 ms later: how long until the turn ends? */
function waitedMs(pause: Pause, endpointingMs: number): number {
  const { detection: turnDetection, finalizationMs, final, prediction } = pause;
  const state = newTurn({ decidesTurns: false, endpointingMs, turnDetection, finalizationMs, usesTurnDetector: true });
  state.adaptation = { shiftMs: pause.shiftMs };
  const inputs: { atMs: number; input: TurnInput }[] = [];
  const add = (atMs: number, input: TurnInput) => {
    inputs.push({ atMs, input });
    inputs.sort((a, b) => a.atMs - b.atMs);
  };
  const say = (atMs: number, event: Exclude<TranscriberEvent, { type: 'failed' }>) =>
    add(atMs, { type: 'transcriber', event });
  add(0, { type: 'voice_started', atMs: 0 });
  add(END_MS + 200, { type: 'voice_ended', atMs: END_MS });
  if (pause.ownFinalMs !== null) say(END_MS + pause.ownFinalMs, { type: 'final', turn: 0, text: final.text });
  for (const { atMs, text } of pause.interims) say(atMs, { type: 'partial', turn: 1, text });
  if (prediction)
    add(END_MS + 200 + prediction.afterMs, {
      type: 'turn_prediction',
      probability: prediction.probability,
      speechEndMs: END_MS,
    });
  for (let nowMs = 0; nowMs < END_MS + 20_000; nowMs += 20) {
    const due = [];
    while (inputs.length > 0 && inputs[0]!.atMs <= nowMs) due.push(inputs.shift()!.input);
    for (const input of [...due, { type: 'tick' } as const]) {
      for (const effect of advanceTurn(state, input, nowMs)) {
        if (effect.type === 'finalize') say(nowMs + final.afterRequestMs, { type: 'final', turn: 1, text: final.text });
        if (effect.type === 'ended') return nowMs - END_MS;
      }
    }
  }
  throw new Error('the turn did not end');
}
