import { expect, test } from 'vitest';
import type { CarrierBehaviour } from './fake-carrier.ts';
import type { SearchBehaviour } from './fake-knowledge.ts';
import type { ModelAnswer } from './fake-model.ts';
import type { SynthesizerBehaviour } from './fake-synthesizer.ts';
import { createHarness, type Harness, type HarnessOptions } from './harness.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * Conversations in which everybody does what they please, within what their ports allow, and now and then a
 * little beyond. What must always hold is checked at every beat and at the end. A seed that failed fails again.
 */

const BATCH = 100;
/** How long people misbehave before it is quiet and somebody says hello. */
const CONVERSATION_MS = 14_000;

const WORDS = 'yes no stop okay achha a table for two at seven tomorrow evening please wait mm-hm haan thanks'.split(
  ' ',
);
const SENTENCES = [
  'Certainly, for how many?',
  'Yes of course.',
  'Let me read that back to you, a table for two people tomorrow evening at seven, by the window.',
  'One moment please. I am looking into the book. There is a table at seven.',
  'Hm.',
];

/** What is said while a tool runs; one word, so that it is heard whole or not at all. */
const TOOL_MESSAGE = 'Looking.';

interface Random {
  /** From 0 to 1. */
  next(): number;
  below(limit: number): number;
  chance(share: number): boolean;
  of<T>(from: readonly T[]): T;
}

function randomOf(seed: number): Random {
  const next = seededRandom(seed);
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    chance: (share) => next() < share,
    of: (from) => from[Math.floor(next() * from.length)]!,
  };
}

interface RandomRun {
  harness: Harness;
  /** Everybody has finished misbehaving: from here on everything works. */
  stopMisbehaving(): void;
}

/** How a search in the knowledge bases goes: at once, at the deadline, too late or not at all. */
function search(chance: Random): SearchBehaviour {
  return {
    after: chance.of([0, 20, 200, 399, 400, 401, 3000]),
    finds: chance.of([[], ['Tables are round.']]),
    fails: chance.chance(0.1),
  };
}

function randomHarness(chance: Random): RandomRun {
  let calm = false;
  const carrier: CarrierBehaviour = {
    marks: chance.of(['on time', 'on time', 'never', 'swapped']),
    markDelayMs: chance.of([0, 0, 40, 300, 900]),
    onClear: chance.of(['returned', 'returned late', 'dropped']),
    returnedAfterMs: chance.of([100, 1600, 1700, 1800]),
    congested: chance.chance(0.3) ? [[3000 + chance.below(4000), 7000 + chance.below(900)]] : [],
  };
  const voices: SynthesizerBehaviour[] = Array.from({ length: 8 }, () => ({
    firstAudioMs: chance.of([40, 120, 120, 700, 1500]),
    timings: chance.of([true, false, false, 'beyond']),
    msPerCharacter: chance.of([40, 60, 60, 80]),
    ...(chance.chance(0.3) ? { chunkMs: chance.of([33, 100, 250]), speed: chance.of([0.8, 2, 10]) } : {}),
    ...(chance.chance(0.12)
      ? {
          breaks: chance.of(['done', 'context failed', 'connection failed'] as const),
          breaksAfterMs: chance.of([0, 0, 300, 1100]),
        }
      : {}),
    ...(chance.chance(0.2) ? { lateAfterCancelMs: chance.below(1500) } : {}),
    ...(chance.chance(0.1) ? { doneTwice: true } : {}),
  }));
  let answers = 0;
  const options: HarnessOptions = {
    call: {
      allow_interruptions: chance.chance(0.8),
      interruption_min_words: chance.of([1, 2, 4]),
      hangup_interruptible: chance.chance(0.3),
      hangup_message: chance.of(['', 'Goodbye from us.']),
      hangup_after_silence_seconds: chance.of([120, 120, 120, 7]),
      ...(chance.chance(0.2) ? { check_user_online: true, user_online_after_seconds: 3 } : {}),
      ...(chance.chance(0.15) ? { hangup_on_prompt: true, hangup_prompt: 'Is it over?' } : {}),
    },
    tools: [
      {
        name: 'find_table',
        description: 'Finds a free table.',
        url: 'https://api.example.com/tables',
        pre_call_message: chance.of(['', TOOL_MESSAGE]),
      },
    ],
    toolAnswer: { afterMs: chance.of([50, 800, 3000]), status: chance.of([200, 200, 500]) },
    welcome: chance.of(['', 'Welcome to the house of many tables.']),
    decidesTurns: chance.chance(0.5),
    endpointingMs: chance.of([100, 300, 900]),
    finalisationMs: chance.of([200, 500]),
    firstTokenMs: chance.of([80, 250, 900]),
    windowsAheadMs: chance.of([0, 0, 0, 500]),
    ...(chance.chance(0.3)
      ? { turnModel: { afterMs: chance.of([20, 100, 900]), probability: chance.of([0.05, 0.5, 0.95]) } }
      : {}),
    ...(chance.chance(0.5) ? { knowledge: { searches: Array.from({ length: 8 }, () => search(chance)) } } : {}),
    synthesizers: voices,
    defaultSynthesizer: { firstAudioMs: 120 },
    carrier,
    closesAtEnd: true,
    answer(request): ModelAnswer {
      // The question whether it is over is none of the conversation's answers.
      if (request.tools.length === 0) return { text: calm || chance.chance(0.8) ? 'No' : 'Yes' };
      const number = ++answers;
      if (calm) return { text: `Answer ${number}: hello to you.` };
      const text = `Answer ${number}: ${chance.of(SENTENCES)}`;
      const roll = chance.next();
      if (roll < 0.04) return { fail: 'broken' };
      if (roll < 0.07) return { text, fail: 'broken', everyMs: 40 };
      if (roll < 0.1) return { text: '' };
      if (roll < 0.14) return { text, tool: 'end_call' };
      if (roll < 0.16) return { tool: 'end_call' };
      if (roll < 0.22) return { text: `${text} `, tool: 'book_table' };
      if (roll < 0.3) return { text: chance.of(['', `${text} `]), tool: 'find_table' };
      if (roll < 0.33) return { text: `${text} `, hangs: true };
      return { text, everyMs: chance.of([0, 0, 60, 400]), firstTokenMs: chance.of([60, 250, 250, 1500]) };
    },
  };
  return {
    harness: createHarness(options),
    stopMisbehaving() {
      calm = true;
      voices.splice(0);
    },
  };
}

/** The caller and their transcriber, up to `TALK_MS`; returns the first turn number that was never used. */
function scheduleCaller(stage: Harness, chance: Random, decidesTurns: boolean): number {
  let turn = 0;
  for (let atMs = 100 + chance.below(1500); atMs < CONVERSATION_MS; atMs += 200 + chance.below(3500)) {
    const durationMs = 100 + chance.below(1800);
    const words = Array.from({ length: 1 + chance.below(6) }, () => chance.of(WORDS));
    const text = words.join(' ');
    const roll = chance.next();
    if (roll > 0.1) stage.clock.after(atMs, () => stage.voice(durationMs));
    if (roll > 0.97) stage.clock.after(atMs, () => stage.conversation.onKeys('1'));
    if (roll > 0.75) continue;
    const number = chance.chance(0.9) ? turn++ : Math.max(0, turn - 1);
    for (const [index] of words.entries()) {
      if (chance.chance(0.2)) continue;
      const soFar = words.slice(0, index + 1).join(' ');
      const type = index === 0 && decidesTurns ? 'turn_started' : 'partial';
      const wordMs = atMs + 120 + Math.round((index * durationMs) / words.length);
      stage.clock.after(wordMs, () => stage.transcriberSays({ type, turn: number, text: soFar }));
    }
    const endMs = atMs + durationMs;
    if (decidesTurns && chance.chance(0.3)) {
      stage.clock.after(endMs + 60, () => stage.transcriberSays({ type: 'turn_eager_end', turn: number, text }));
      if (chance.chance(0.4)) {
        stage.clock.after(endMs + 150, () => stage.transcriberSays({ type: 'turn_resumed', turn: number, text }));
      }
    }
    if (chance.chance(0.12)) continue;
    const type = decidesTurns ? 'turn_ended' : 'final';
    const lateMs = chance.of([100, 200, 500, 1500, 3000]);
    for (let time = 0; time < chance.of([1, 1, 1, 2]); time++) {
      const last = chance.chance(0.1) ? '' : text;
      stage.clock.after(endMs + lateMs + time * 70, () => stage.transcriberSays({ type, turn: number, text: last }));
    }
  }
  return turn;
}

/** What must hold at every beat. */
function checkEveryTick(stage: Harness): void {
  let last = 0;
  const cut = new Map<number, number>();
  let framesSeen = 0;
  stage.listen((news) => {
    if (news !== 'agent.reply') return;
    const last = stage.played.at(-1);
    const given = [...stage.contexts.values()].find((context) => context.number === last?.context);
    if (!last || !given || last.toMs !== given.givenMs) throw new Error('a reply was over before it was heard');
    if (stage.clock.now() < last.atMs + last.toMs - last.fromMs) throw new Error('a reply was over too early');
  });
  stage.everyTick(() => {
    for (; framesSeen < stage.sent.length; framesSeen++) {
      const { context, atMs } = stage.sent[framesSeen]!;
      // One reply after the other: what was replaced never comes back.
      if (context < last) throw new Error(`context ${context} after ${last}`);
      last = context;
      const deadMs = cut.get(context);
      if (deadMs !== undefined && atMs > deadMs)
        throw new Error(`context ${context} was played after it was cancelled`);
    }
    for (const [contextId, context] of stage.contexts) {
      if (context.cancelledMs !== null) cut.set(context.number, context.cancelledMs);
      const cursors = stage.playout.cursors(contextId.split('.')[0]!);
      if (!cursors) continue;
      if (cursors.playedOutMs > cursors.sentMs || cursors.sentMs > cursors.generatedMs) {
        throw new Error(
          `${contextId}: heard ${cursors.playedOutMs}, sent ${cursors.sentMs}, made ${cursors.generatedMs}`,
        );
      }
    }
  });
}

/** The text is some of what was generated, in order; of the last there may be less. */
function isMadeOf(text: string, generated: readonly string[]): boolean {
  return generated.some((one, index) => {
    if (one.startsWith(text)) return true;
    return text.startsWith(one) && isMadeOf(text.slice(one.length).trim(), generated.slice(index + 1));
  });
}

/** What must hold of the sound that was heard and of the lines that were written. */
function checkRecord(stage: Harness): void {
  const heardOf = new Map<number, { toMs: number; ms: number }>();
  for (const stretch of stage.played) {
    const before = heardOf.get(stretch.context) ?? { toMs: 0, ms: 0 };
    // No millisecond twice, none left out.
    expect(stretch.fromMs, `context ${stretch.context} goes on where it stopped`).toBe(before.toMs);
    heardOf.set(stretch.context, { toMs: stretch.toMs, ms: before.ms + stretch.toMs - stretch.fromMs });
  }
  const plain = (text: string) => text.replaceAll(TOOL_MESSAGE, ' ').replace(/\s+/g, ' ').trim();
  const generated = stage.generated.map(plain).filter((text) => text !== '');
  const own = ['Goodbye from us.', 'Welcome to the house of many tables.', 'Are you still there?'];
  const lines = stage.transcript().filter((line) => line.startsWith('agent: '));
  for (const line of lines) {
    const text = line.slice('agent: '.length).replace(/ —$/, '');
    const known = plain(text) === '' || isMadeOf(plain(text), generated) || own.some((one) => one.startsWith(text));
    expect(known, `said, but never made: ${text}`).toBe(true);
    expect(text).not.toBe('');
  }
  const answered = lines.map((line) => /^agent: (Answer \d+:)/.exec(line)?.[1]).filter((label) => label !== undefined);
  expect(new Set(answered).size, 'no answer is written twice').toBe(answered.length);
  const writtenCharacters = lines.reduce((sum, line) => sum + line.slice(7).replace(/ —$/, '').length, 0);
  expect(stage.usage.tts_characters, 'what was heard is what is counted').toBe(writtenCharacters);
  expect(stage.ends.length).toBeLessThanOrEqual(1);
}

/** The longest deadline of the model, a turn that was forgotten, and the longest reply. */
const QUIET_TIMEOUT_MS = 26_000;
/** Longer than a voice may wait between two pieces here, or an agent that is held before it goes on. */
const QUIET_FOR_MS = 3000;

async function untilQuiet(stage: Harness): Promise<void> {
  let quietMs = 0;
  for (
    let waitedMs = 0;
    waitedMs < QUIET_TIMEOUT_MS && quietMs < QUIET_FOR_MS && stage.ends.length === 0;
    waitedMs += 500
  ) {
    const before = stage.sent.length;
    await stage.clock.advance(500);
    const busy = stage.running.count > 0 || stage.engineTimers() > 0 || stage.sent.length > before;
    quietMs = busy ? 0 : quietMs + 500;
  }
}

/** One conversation, whole; throws what does not hold. */
async function playConversation(seed: number): Promise<'ended' | 'answered' | 'hung up'> {
  const chance = randomOf(seed);
  const { harness: stage, stopMisbehaving: calmDown } = randomHarness(chance);
  const decidesTurns = stage.decidesTurns;
  checkEveryTick(stage);
  const turn = scheduleCaller(stage, chance, decidesTurns);
  stage.conversation.start();
  const hangUpMs = chance.chance(0.25) ? chance.below(CONVERSATION_MS) : null;
  let outcome: 'ended' | 'answered' | 'hung up' = 'ended';
  if (hangUpMs !== null) {
    await stage.clock.advance(hangUpMs);
    stage.close();
    outcome = 'hung up';
  } else {
    await stage.clock.advance(CONVERSATION_MS + 4000);
    calmDown();
    await untilQuiet(stage);
    if (stage.ends.length === 0) {
      const before = stage.transcript().length;
      const fromMs = stage.clock.now();
      stage.voice(900);
      const text = 'hello is anybody still there';
      const words = decidesTurns ? 'turn_ended' : 'final';
      stage.clock.after(1100, () => stage.transcriberSays({ type: words, turn: turn + 1, text }));
      await stage.clock.advance(2000);
      await untilQuiet(stage);
      const later = stage.transcript().slice(before);
      expect(later.join('\n'), 'hello is answered').toMatch(
        /hello is anybody still there\nagent: Answer \d+: hello to you\./,
      );
      expect(stage.played.at(-1)!.atMs).toBeGreaterThan(fromMs);
      outcome = 'answered';
    }
  }
  stage.close();
  stage.stop();
  await stage.clock.advance(0);
  expect(stage.engineTimers(), 'every timer of the engine is gone').toBe(0);
  const toldBefore = stage.emitted.length;
  const sentBefore = stage.sent.length;
  await stage.clock.advance(10_000);
  expect(stage.running.count, 'every stream of the model is closed').toBe(0);
  expect([stage.emitted.length, stage.sent.length], 'nothing follows the end').toEqual([toldBefore, sentBefore]);
  checkRecord(stage);
  return outcome;
}

/** The tests of these seeds; a file of its own plays each half of them, side by side. */
export function playSeeds(from: number, to: number): void {
  const outcomes: Record<string, number> = {};
  for (let first = from; first <= to; first += BATCH) {
    const last = Math.min(to, first + BATCH - 1);
    test(`number ${first} to ${last}: nothing that must hold is broken`, async () => {
      for (let seed = first; seed <= last; seed++) {
        const outcome = await playConversation(seed).catch((error: Error) => {
          error.message = `conversation ${seed}: ${error.message}`;
          throw error;
        });
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    });
  }

  test('and they went every way a conversation can go', () => {
    expect(Object.keys(outcomes).sort()).toEqual(['answered', 'ended', 'hung up']);
  });
}
