import { expect, test } from 'vitest';
import { MAX_UNCONFIRMED_MS } from '../../media/playout/playback-confirmation.ts';
import { repromptText } from '../../shared/reply/reprompt-text.ts';
import type { CarrierBehaviour } from './fake-carrier.ts';
import type { SearchBehaviour } from './fake-knowledge.ts';
import type { ModelAnswer } from './fake-model.ts';
import type { SynthesizerBehaviour } from './fake-synthesizer.ts';
import { createHarness, type Harness, type HarnessOptions } from './harness.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * Randomized conversations: caller, transcriber, model, synthesizer and carrier behave randomly within their ports, and sometimes
 * beyond. Invariants are checked at every tick and at the end. A failing seed is reproducible.
 */

const BATCH = 100;
/** Duration of random behaviour; after it the caller says hello. */
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

const REPROMPT = repromptText('en', '');

/** Message while a tool runs; one word, so that it is played completely or not at all. */
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
  /** Where marks come back in another order, what they did not prove in time is said again after a pause. */
  mayRepeatMs: number;
  /** Ends the random behaviour: from now on everything works. */
  stopMisbehaving(): void;
}

/** Random search behaviour: immediate, at the deadline, too late, or failing. */
function search(random: Random): SearchBehaviour {
  return {
    after: random.of([0, 20, 200, 399, 400, 401, 3000]),
    finds: random.of([[], ['Tables are round.']]),
    fails: random.chance(0.1),
  };
}

function randomHarness(random: Random): RandomRun {
  let calm = false;
  const carrier: CarrierBehaviour = {
    marks: random.of(['on time', 'on time', 'never', 'swapped']),
    markDelayMs: random.of([0, 0, 40, 300, 900]),
    onClear: random.of(['returned', 'returned late', 'dropped']),
    returnedAfterMs: random.of([100, 1600, 1700, 1800]),
    congested: random.chance(0.3) ? [[3000 + random.below(4000), 7000 + random.below(900)]] : [],
  };
  // As a browser, which confirms nothing.
  carrier.takesBack = carrier.marks === 'never';
  const synthesizers: SynthesizerBehaviour[] = Array.from({ length: 8 }, () => ({
    firstAudioMs: random.of([40, 120, 120, 700, 1500]),
    timings: random.of([true, false, false, 'beyond']),
    msPerCharacter: random.of([40, 60, 60, 80]),
    ...(random.chance(0.3) ? { chunkMs: random.of([33, 100, 250]), speed: random.of([0.8, 2, 10]) } : {}),
    ...(random.chance(0.12)
      ? {
          breaks: random.of(['done', 'context failed', 'connection failed'] as const),
          breaksAfterMs: random.of([0, 0, 300, 1100]),
        }
      : {}),
    ...(random.chance(0.2) ? { lateAfterCancelMs: random.below(1500) } : {}),
    ...(random.chance(0.1) ? { doneTwice: true } : {}),
  }));
  let answers = 0;
  /** Further rounds of tools that the model wants in this reply. */
  let rounds = 0;
  const options: HarnessOptions = {
    call: {
      allow_interruptions: random.chance(0.8),
      interruption_min_words: random.of([1, 2, 4]),
      hangup_interruptible: random.chance(0.3),
      hangup_message: random.of(['', 'Goodbye from us.']),
      hangup_after_silence_seconds: random.of([120, 120, 120, 7]),
      ...(random.chance(0.2) ? { check_user_online: true, user_online_after_seconds: 3 } : {}),
      ...(random.chance(0.15) ? { hangup_on_prompt: true, hangup_prompt: 'Is it over?' } : {}),
    },
    tools: [
      {
        name: 'find_table',
        description: 'Finds a free table.',
        url: 'https://api.example.com/tables',
        pre_call_message: random.of(['', TOOL_MESSAGE]),
      },
    ],
    toolAnswer: { afterMs: random.of([50, 800, 3000]), status: random.of([200, 200, 500]) },
    welcome: random.of(['', 'Welcome to the house of many tables.']),
    decidesTurns: random.chance(0.5),
    endpointingMs: random.of([100, 300, 900]),
    finalisationMs: random.of([200, 500]),
    firstTokenMs: random.of([80, 250, 900]),
    windowsAheadMs: random.of([0, 0, 0, 500]),
    ...(random.chance(0.3)
      ? { turnModel: { afterMs: random.of([20, 100, 900]), probability: random.of([0.05, 0.5, 0.95]) } }
      : {}),
    ...(random.chance(0.5) ? { knowledge: { searches: Array.from({ length: 8 }, () => search(random)) } } : {}),
    synthesizers,
    defaultSynthesizer: { firstAudioMs: 120 },
    carrier,
    closesAtEnd: true,
    answer(request): ModelAnswer {
      // The hang-up check is not a reply of the conversation.
      if (request.tools.length === 0) return { text: calm || random.chance(0.8) ? 'No' : 'Yes' };
      const number = ++answers;
      if (calm) return { text: `Answer ${number}: hello to you.` };
      const text = `Answer ${number}: ${random.of(SENTENCES)}`;
      const answersTool = request.messages.at(-1)!.role === 'tool';
      if (answersTool && rounds-- > 0) return { text: random.of(['', `${text} `]), tool: 'find_table' };
      const roll = random.next();
      if (roll < 0.04) return { fail: 'broken' };
      if (roll < 0.07) return { text, fail: 'broken', everyMs: 40 };
      if (roll < 0.1) return { text: '' };
      if (roll < 0.14) return { text, tool: 'end_call' };
      if (roll < 0.16) return { tool: 'end_call' };
      if (roll < 0.22) return { text: `${text} `, tool: 'book_table' };
      if (roll < 0.3) {
        rounds = random.below(6);
        return { text: random.of(['', text]), tool: 'find_table' };
      }
      if (roll < 0.33) return { text: `${text} `, hangs: true };
      return { text, everyMs: random.of([0, 0, 60, 400]), firstTokenMs: random.of([60, 250, 250, 1500]) };
    },
  };
  return {
    harness: createHarness(options),
    mayRepeatMs: carrier.marks === 'swapped' ? MAX_UNCONFIRMED_MS : 0,
    stopMisbehaving() {
      calm = true;
      synthesizers.splice(0);
    },
  };
}

/** Schedules the caller and the transcriber, up to `CONVERSATION_MS`; returns the next turn number. */
function scheduleCaller(harness: Harness, random: Random, decidesTurns: boolean): number {
  let turn = 0;
  for (let stalls = random.of([0, 0, 1, 3]); stalls > 0; stalls--) {
    const durationMs = random.of([200, 300, 500, 1_000, 1_500]);
    harness.clock.after(random.below(CONVERSATION_MS), () => harness.stall(durationMs));
  }
  for (let atMs = 100 + random.below(1500); atMs < CONVERSATION_MS; atMs += 200 + random.below(3500)) {
    const durationMs = 100 + random.below(1800);
    const words = Array.from({ length: 1 + random.below(6) }, () => random.of(WORDS));
    const text = words.join(' ');
    const roll = random.next();
    if (roll > 0.1) harness.clock.after(atMs, () => harness.speak(durationMs));
    if (roll > 0.97) harness.clock.after(atMs, () => harness.conversation.onKeys('1'));
    if (roll > 0.75) continue;
    const number = random.chance(0.9) ? turn++ : Math.max(0, turn - 1);
    for (const [index] of words.entries()) {
      if (random.chance(0.2)) continue;
      const soFar = words.slice(0, index + 1).join(' ');
      const type = index === 0 && decidesTurns ? 'turn_started' : 'partial';
      const wordMs = atMs + 120 + Math.round((index * durationMs) / words.length);
      harness.clock.after(wordMs, () => harness.transcriberSays({ type, turn: number, text: soFar }));
    }
    const endMs = atMs + durationMs;
    if (decidesTurns && random.chance(0.3)) {
      harness.clock.after(endMs + 60, () => harness.transcriberSays({ type: 'turn_eager_end', turn: number, text }));
      if (random.chance(0.4)) {
        harness.clock.after(endMs + 150, () => harness.transcriberSays({ type: 'turn_resumed', turn: number, text }));
      }
    }
    if (random.chance(0.12)) continue;
    const type = decidesTurns ? 'turn_ended' : 'final';
    const lateMs = random.of([100, 200, 500, 1500, 3000, 3000, random.of([6000, 9000, 12_000])]);
    // Later, everything works.
    if (endMs + lateMs > CONVERSATION_MS + 3000) continue;
    for (let time = 0; time < random.of([1, 1, 1, 2]); time++) {
      const last = random.chance(0.1) ? '' : text;
      harness.clock.after(endMs + lateMs + time * 70, () =>
        harness.transcriberSays({ type, turn: number, text: last }),
      );
    }
  }
  return turn;
}

/** Checks the invariants at every tick. */
function checkEveryTick(harness: Harness): void {
  let last = 0;
  const cut = new Map<number, number>();
  let framesSeen = 0;
  harness.listen((event) => {
    if (event !== 'agent.reply') return;
    const last = harness.played.at(-1);
    const given = [...harness.contexts.values()].find((context) => context.number === last?.context);
    if (!last || !given || last.toMs !== given.givenMs) throw new Error('a reply ended before it was played');
    if (harness.clock.now() < last.atMs + last.toMs - last.fromMs) throw new Error('a reply ended too early');
  });
  harness.everyTick(() => {
    for (; framesSeen < harness.sent.length; framesSeen++) {
      const { context, atMs } = harness.sent[framesSeen]!;
      // Contexts are played in order: a replaced one never returns.
      if (context < last) throw new Error(`context ${context} after ${last}`);
      last = context;
      const deadMs = cut.get(context);
      if (deadMs !== undefined && atMs > deadMs)
        throw new Error(`context ${context} was played after it was cancelled`);
    }
    for (const [contextId, context] of harness.contexts) {
      if (context.cancelledMs !== null) cut.set(context.number, context.cancelledMs);
      const cursors = harness.playout.cursors(contextId.split('.')[0]!);
      if (!cursors) continue;
      if (cursors.playedOutMs > cursors.sentMs || cursors.sentMs > cursors.generatedMs) {
        throw new Error(
          `${contextId}: played out ${cursors.playedOutMs}, sent ${cursors.sentMs}, generated ${cursors.generatedMs}`,
        );
      }
    }
  });
}

/** Whether the text consists of generated texts in order, the last one possibly shortened. */
function isMadeOf(text: string, generated: readonly string[]): boolean {
  return generated.some((one, index) => {
    if (one.startsWith(text)) return true;
    return text.startsWith(one) && isMadeOf(text.slice(one.length).trim(), generated.slice(index + 1));
  });
}

/** Removes the reprompt, or as much of it as was played out, from the end of the text. */
function withoutReprompt(text: string): string {
  const words = text.split(' ');
  const from = words.findIndex((_, at) => {
    const end = words.slice(at).join(' ');
    return REPROMPT.startsWith(end);
  });
  return from < 0 ? text : words.slice(0, from).join(' ');
}

/** Returns a check that the caller's last turn was not followed by silence, for when nothing is said or done any more. */
function lastTurnCheck(harness: Harness): () => void {
  const says = harness.transcriberSays;
  let transcribedMs = 0;
  harness.transcriberSays = (event) => {
    transcribedMs = harness.clock.now();
    says(event);
  };
  return () => {
    const turn = harness.emitted.findLast(({ type }) => type === 'user.turn');
    // Later words take the turn back, and may never be complete.
    if (!turn || transcribedMs > turn.atMs) return;
    const last = harness.played.at(-1);
    const heardMs = last ? last.atMs + last.toMs - last.fromMs : 0;
    if (heardMs <= turn.atMs) throw new Error(`silence after the turn "${turn.message}"`);
  };
}

/** Checks the invariants of the played audio and of the transcript. */
function checkRecord(harness: Harness, mayRepeatMs: number): void {
  const heardOf = new Map<number, { toMs: number; ms: number }>();
  for (const stretch of harness.played) {
    const before = heardOf.get(stretch.context) ?? { toMs: 0, ms: 0 };
    // Every millisecond exactly once.
    const goesOn = stretch.fromMs <= before.toMs && stretch.fromMs >= before.toMs - mayRepeatMs;
    expect(goesOn, `context ${stretch.context} goes on at ${stretch.fromMs}, stopped at ${before.toMs}`).toBe(true);
    heardOf.set(stretch.context, { toMs: stretch.toMs, ms: before.ms + stretch.toMs - stretch.fromMs });
  }
  const plain = (text: string) => withoutReprompt(text.replaceAll(TOOL_MESSAGE, ' ').replace(/\s+/g, ' ').trim());
  const generated = harness.generated.map(plain).filter((text) => text !== '');
  const own = ['Goodbye from us.', 'Welcome to the house of many tables.', 'Are you still there?', REPROMPT];
  const lines = harness.transcript().filter((line) => line.startsWith('agent: '));
  for (const line of lines) {
    const text = line.slice('agent: '.length).replace(/ —$/, '');
    const known = plain(text) === '' || isMadeOf(plain(text), generated) || own.some((one) => one.startsWith(text));
    expect(known, `in the transcript, but not generated: ${text}`).toBe(true);
    expect(text).not.toBe('');
  }
  const answered = lines.map((line) => /^agent: (Answer \d+:)/.exec(line)?.[1]).filter((label) => label !== undefined);
  expect(new Set(answered).size, 'no answer is written twice').toBe(answered.length);
  const writtenCharacters = lines.reduce((sum, line) => sum + line.slice(7).replace(/ —$/, '').length, 0);
  expect(harness.usage.tts_characters, 'the usage counts what was played out').toBe(writtenCharacters);
  expect(harness.ends.length).toBeLessThanOrEqual(1);
}

/** Covers the model's longest deadline, a forgotten turn, and the longest reply. */
const QUIET_TIMEOUT_MS = 26_000;
/** Longer than a gap between two chunks, or a pause of the agent before it resumes. */
const QUIET_FOR_MS = 3000;

async function untilQuiet(harness: Harness): Promise<void> {
  let quietMs = 0;
  for (
    let waitedMs = 0;
    waitedMs < QUIET_TIMEOUT_MS && quietMs < QUIET_FOR_MS && harness.ends.length === 0;
    waitedMs += 500
  ) {
    const before = harness.sent.length;
    await harness.clock.advance(500);
    const busy = harness.running.count > 0 || harness.engineTimers() > 0 || harness.sent.length > before;
    quietMs = busy ? 0 : quietMs + 500;
  }
}

/** The caller says something clearly whose words come late or never: it is answered, or asked for. */
async function clearSpeechIsAnswered(
  harness: Harness,
  random: Random,
  turn: number,
  type: 'turn_ended' | 'final',
): Promise<void> {
  if (random.chance(0.6)) return;
  const text = 'a table for six people please';
  const before = harness.transcript().length;
  const lateMs = random.of([6000, 9000, 12_000, null]);
  const fromMs = harness.clock.now();
  harness.speak(1200);
  if (lateMs !== null) harness.clock.after(1200 + lateMs, () => harness.transcriberSays({ type, turn, text }));
  await harness.clock.advance(14_000);
  await untilQuiet(harness);
  const later = harness.transcript().slice(before).join('\n');
  // The caller is asked anyway, and may speak over just that.
  const check = harness.emitted.findLast(({ type, atMs }) => type === 'user.online_check' && atMs < fromMs + 1200);
  if (check && check.atMs > fromMs - 1500) return;
  if (lateMs === null) expect(later, 'asked for').toContain(REPROMPT);
  else
    expect(later, `answered ${lateMs} ms late`).toMatch(
      /user: a table for six people please\nagent: Answer \d+: hello/,
    );
}

/** Plays one conversation; throws when an invariant is violated. */
async function playConversation(seed: number): Promise<'ended' | 'answered' | 'hung up'> {
  const random = randomOf(seed);
  const { harness, mayRepeatMs, stopMisbehaving } = randomHarness(random);
  const decidesTurns = harness.decidesTurns;
  checkEveryTick(harness);
  const checkLastTurn = lastTurnCheck(harness);
  const turn = scheduleCaller(harness, random, decidesTurns);
  harness.conversation.start();
  const hangUpMs = random.chance(0.25) ? random.below(CONVERSATION_MS) : null;
  let outcome: 'ended' | 'answered' | 'hung up' = 'ended';
  if (hangUpMs !== null) {
    await harness.clock.advance(hangUpMs);
    harness.close();
    outcome = 'hung up';
  } else {
    await harness.clock.advance(CONVERSATION_MS + 4000);
    stopMisbehaving();
    await untilQuiet(harness);
    if (harness.ends.length === 0) {
      checkLastTurn();
      const before = harness.transcript().length;
      const fromMs = harness.clock.now();
      harness.speak(900);
      const text = 'hello is anybody still there';
      const words = decidesTurns ? 'turn_ended' : 'final';
      harness.clock.after(1100, () => harness.transcriberSays({ type: words, turn: turn + 1, text }));
      await harness.clock.advance(2000);
      await untilQuiet(harness);
      const later = harness.transcript().slice(before);
      expect(later.join('\n'), 'hello is answered').toMatch(
        /hello is anybody still there\nagent: Answer \d+: hello to you\./,
      );
      expect(harness.played.at(-1)!.atMs).toBeGreaterThan(fromMs);
      await clearSpeechIsAnswered(harness, random, turn + 2, words);
      outcome = 'answered';
    }
  }
  harness.close();
  harness.stop();
  await harness.clock.advance(0);
  expect(harness.engineTimers(), 'all timers of the engine are gone').toBe(0);
  const toldBefore = harness.emitted.length;
  const sentBefore = harness.sent.length;
  await harness.clock.advance(10_000);
  expect(harness.running.count, 'every stream of the model is closed').toBe(0);
  expect([harness.emitted.length, harness.sent.length], 'nothing follows the end').toEqual([toldBefore, sentBefore]);
  checkRecord(harness, mayRepeatMs);
  return outcome;
}

/** Defines the tests of these seeds; two files run a part of them each, in parallel. */
export function playSeeds(from: number, to: number): void {
  const outcomes: Record<string, number> = {};
  for (let first = from; first <= to; first += BATCH) {
    const last = Math.min(to, first + BATCH - 1);
    test(`number ${first} to ${last}: all invariants hold`, async () => {
      for (let seed = first; seed <= last; seed++) {
        const outcome = await playConversation(seed).catch((error: Error) => {
          error.message = `conversation ${seed}: ${error.message}`;
          throw error;
        });
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    });
  }

  test('every outcome occurred', () => {
    expect(Object.keys(outcomes).sort()).toEqual(['answered', 'ended', 'hung up']);
  });
}
