import { expect, test } from 'vitest';
import type { RecordingMixer } from '../../media/call/recording-mixer.ts';
import type { Background } from '../../media/playout/playout.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { EventType } from '../../shared/events.ts';
import type { TransferStatus } from '../../shared/transfer.ts';
import type { CallbackBehaviour } from './fake-callbacks.ts';
import type { CarrierBehaviour } from './fake-carrier.ts';
import type { FakeKnowledgeOptions } from './fake-knowledge.ts';
import type { ModelAnswer } from './fake-model.ts';
import type { SynthesizerBehaviour } from './fake-synthesizer.ts';
import type { TransferBehaviour } from './fake-transfers.ts';
import { createHarness, type Harness, type HarnessEvent, type HarnessOptions } from './harness.ts';

/**
 * The language of the scenarios. One scenario is one thought: who says what when, how the others behave, and what must have
 * come of it. The script is read first, then played on the virtual clock, then its expectations are checked.
 *
 * ```ts
 * scenario('a caller who says "wait" is listened to at once', {}, (s) => {
 *   s.caller('book a table', { at: 500, for: 2000, transcriptAfter: 200 });
 *   s.model('Certainly, for how many people shall it be?', { firstToken: 100 });
 *   const wait = s.caller('wait', { at: sounding(1, 800), for: 400 });
 *   s.expect.silentBy(wait, 300);
 * });
 * ```
 */

export interface ScenarioSetup {
  /** Settings of the agent's `call`. */
  call?: Record<string, unknown>;
  welcome?: string;
  prompt?: string;
  values?: Record<string, string | number | boolean>;
  /** `turns`: the transcriber decides them itself. `words`: it only writes. */
  transcriber?: 'turns' | 'words';
  endpointing?: number;
  finalisation?: number;
  /** An audio model of the end of turn that answers so, so late. */
  turnModel?: { afterMs: number; probability: number };
  carrier?: CarrierBehaviour;
  /** Sound under and between the speeches. */
  background?: Background;
  /** Records what the agent says. */
  recordingMixer?: Pick<RecordingMixer, 'addAgent' | 'dropAgent'>;
  /** What the agent knows, and how its searches go. */
  knowledge?: FakeKnowledgeOptions;
  /** Every voice context that the script does not speak of. */
  synthesizer?: SynthesizerBehaviour;
  /** Voice activity's clock runs so far ahead. */
  voiceActivityAhead?: number;
  /** The agent has an HTTP tool `find_table` that answers so. */
  tool?: { after: number; status?: number; body?: string; says?: string; timeoutSeconds?: number };
  /** The agent hands callers over to `Sales`, and control takes it so. */
  transfer?: TransferBehaviour & { cold?: boolean; says?: string };
  /** The agent books call backs, and control takes the wish so. */
  callback?: CallbackBehaviour;
  /** Virtual milliseconds until everything is checked. */
  lasts?: number;
}

/** A moment of the call, or one that hangs on something that happens in it. */
export type Moment = number | { after: HarnessEvent; nth: number; plus: number };

/** After the first sound of the n-th reply that could be heard; the welcome counts. */
export const agentSpeaking = (nth: number, plus = 0): Moment => ({ after: 'tts.first_audio', nth, plus });
/** After the model was asked for the n-th time. */
export const modelAsked = (nth: number, plus = 0): Moment => ({ after: 'asked', nth, plus });
/** After the n-th reply was heard to its end (the welcome does not count). */
export const replyPlayed = (nth: number, plus = 0): Moment => ({ after: 'agent.reply', nth, plus });
/** After the carrier was cleared for the n-th time. */
export const cleared = (nth: number, plus = 0): Moment => ({ after: 'cleared', nth, plus });
/** After the n-th event of this type. */
export const emitted = (after: EventType, nth = 1, plus = 0): Moment => ({ after, nth, plus });

export interface Utterance {
  at: Moment;
  /** How long the voice sounds. */
  for: number;
  /** From the end of the voice to the last word of it being written; 200 where the transcriber decides turns, else 500. */
  transcriptAfter?: number;
  /** From the beginning of the voice to its first word; 120. */
  firstWordAfter?: number;
  /** Words are written without any voice to be heard. */
  unvoiced?: boolean;
  /** No words before the end. */
  noInterims?: boolean;
  /** The transcriber never closes what it wrote. */
  noEnd?: boolean;
  /** The end is told so many times. */
  ends?: number;
  /** The transcriber's number of the turn; left out: the next one. */
  turn?: number;
  /** The last words differ from those on the way. */
  finally?: string;
  /** The transcriber believes so long after the voice that this was all. */
  eagerAfter?: number;
}

/** What was scheduled; its moments are known once it has happened. */
export interface TimedEvent {
  startMs: number;
  endMs: number;
}

export type ModelTiming = Omit<ModelAnswer, 'text' | 'firstTokenMs' | 'everyMs'> & {
  firstToken?: number;
  every?: number;
};

export interface Script {
  /** The caller says this: voice, and the words as the transcriber brings them. */
  caller(text: string, how: Utterance): TimedEvent;
  /** Voice that holds no words. */
  noise(how: { at: Moment; for: number }): TimedEvent;
  /** A beep on the line; it is over then. */
  beep(at: Moment, hz?: number): void;
  /** One event of the transcriber, as it is. */
  transcriber(
    type: 'turn_started' | 'partial' | 'turn_eager_end' | 'turn_resumed' | 'turn_ended' | 'final',
    text: string,
    how: { at: Moment; turn: number },
  ): void;
  /** The next answer of the model. Every further question gets "Yes of course." */
  model(text: string, how?: ModelTiming): void;
  /** How the next voice context goes; they come in the order the agent speaks. */
  synthesizer(how: SynthesizerBehaviour): void;
  /** The caller hangs up. */
  hangUp(at: Moment): TimedEvent;
  /** The caller presses keys, as they are handed over after the wait for more. */
  keys(digits: string, at: Moment): void;
  /** Control tells how the (last) transfer went. */
  transferOutcome(status: TransferStatus, at: Moment): void;
  /** The carrier ends the stream. */
  streamEnds(at: Moment): void;
  readonly expect: Expectations;
}

export interface Expectations {
  /** The whole transcript, as `user: …` and `agent: …`; a line that was cut ends with ` —`. */
  transcript(lines: (string | RegExp)[]): void;
  /** The last line of it. */
  lastLine(line: string | RegExp): void;
  /** All events of the timeline, in order. */
  events(types: EventType[]): void;
  count(type: EventType, times: number): void;
  never(...types: EventType[]): void;
  /** What the model was told of the conversation when it was asked the last (or n-th) time. */
  history(lines: (string | RegExp)[], ofRequest?: number): void;
  requests(times: number): void;
  /** What the voice was given to say, all of it. */
  spoken(...texts: string[]): void;
  /** From so long after the beginning of this the caller hears nothing of the agent, for at least `forMs`. */
  silentBy(happening: TimedEvent, withinMs: number, forMs?: number): void;
  /** The agent is never silenced. */
  neverCleared(): void;
  clears(times: number): void;
  /** The n-th voice context was heard from its first to its last millisecond, each once. */
  playedOnce(context?: number): void;
  /** So many milliseconds of the n-th context were heard. */
  playedFor(context: number, ms: number, give?: number): void;
  /** From so long after the beginning of this, for 100 ms, what goes to the carrier is softer than the voice made it. */
  duckedBy(happening: TimedEvent, withinMs: number): void;
  /** At the end the agent speaks as loudly as its voice. */
  fullVolumeAtEnd(): void;
  neverDucked(): void;
  /** How often the tool's address was called. */
  toolRuns(times: number): void;
  /** Nothing of the n-th context was ever sent to the carrier. */
  neverSent(context: number): void;
  /** The latency of the n-th first audio, as it is told. */
  firstAudioWithin(ms: number, nth?: number): void;
  callEnds(...callEnds: CallEnd[]): void;
  /** Anything else, about the stage as it was left. */
  that(what: string, holds: (stage: Harness) => void): void;
}

/** Virtual milliseconds a scenario lasts when it does not say. */
const DEFAULT_DURATION_MS = 20_000;

export function scenario(title: string, setting: ScenarioSetup, write: (script: Script) => void): void {
  test(title, () => play(setting, write));
}

/** Plays one scenario; throws what does not hold. */
export async function play(setting: ScenarioSetup, write: (script: Script) => void): Promise<Harness> {
  const answers: ModelAnswer[] = [];
  const voices: SynthesizerBehaviour[] = [];
  const plan: { at: Moment; run: (stage: Harness) => void }[] = [];
  const checks: ((stage: Harness) => void)[] = [];
  let turn = 0;

  const script: Script = {
    caller(text, how) {
      const happening = { startMs: Number.NaN, endMs: Number.NaN };
      const number = how.turn ?? turn++;
      turn = Math.max(turn, number + 1);
      plan.push({
        at: how.at,
        run: (stage) => {
          happening.startMs = stage.clock.now();
          happening.endMs = happening.startMs + how.for;
          if (!how.unvoiced) stage.voice(how.for);
          transcribe(stage, setting, text, how, number);
        },
      });
      return happening;
    },
    noise(how) {
      const happening = { startMs: Number.NaN, endMs: Number.NaN };
      plan.push({
        at: how.at,
        run: (stage) => {
          happening.startMs = stage.clock.now();
          happening.endMs = happening.startMs + how.for;
          stage.voice(how.for);
        },
      });
      return happening;
    },
    beep(at, hz = 1000) {
      // The detector waits 60 ms for the quiet after it.
      plan.push({
        at,
        run: (stage) =>
          void stage.clock.after(60, () => stage.conversation.machineDetector?.onInput({ type: 'beep', hz })),
      });
    },
    transcriber(type, text, how) {
      turn = Math.max(turn, how.turn + 1);
      plan.push({ at: how.at, run: (stage) => stage.transcriberSays({ type, text, turn: how.turn }) });
    },
    model(text, how = {}) {
      const { firstToken, every, ...rest } = how;
      answers.push({
        text,
        ...rest,
        ...(firstToken === undefined ? {} : { firstTokenMs: firstToken }),
        ...(every === undefined ? {} : { everyMs: every }),
      });
    },
    synthesizer: (how) => void voices.push(how),
    hangUp(at) {
      const happening = { startMs: Number.NaN, endMs: Number.NaN };
      plan.push({
        at,
        run: (stage) => {
          happening.startMs = stage.clock.now();
          happening.endMs = happening.startMs;
          stage.close();
        },
      });
      return happening;
    },
    keys: (digits, at) => void plan.push({ at, run: (stage) => stage.conversation.onKeys(digits) }),
    transferOutcome(status, at) {
      const tell = (stage: Harness) => {
        const transfer_id = stage.transfers.at(-1)?.transfer_id ?? '';
        stage.conversation.transfers.onOutcome({ call_id: '', transfer_id, status, dial_status: `${status}!` });
      };
      plan.push({ at, run: tell });
    },
    streamEnds: (at) => void plan.push({ at, run: (stage) => void stage.streamEnds() }),
    expect: expectations(checks),
  };
  write(script);

  const options: HarnessOptions = {
    ...setting,
    // Scenarios end in quiet; those about a silent caller say how silent.
    call: {
      hangup_after_silence_seconds: 120,
      ...transferSettings(setting.transfer),
      ...callBackSettings(setting.callback),
      ...setting.call,
    },
    decidesTurns: (setting.transcriber ?? 'turns') === 'turns',
    ...(setting.endpointing === undefined ? {} : { endpointingMs: setting.endpointing }),
    ...(setting.finalisation === undefined ? {} : { finalisationMs: setting.finalisation }),
    ...(setting.synthesizer === undefined ? {} : { defaultSynthesizer: setting.synthesizer }),
    ...(setting.voiceActivityAhead === undefined ? {} : { windowsAheadMs: setting.voiceActivityAhead }),
    ...(setting.tool === undefined ? {} : toolOptions(setting.tool)),
    ...(setting.transfer === undefined ? {} : { transfer: setting.transfer }),
    ...(setting.callback === undefined ? {} : { callback: setting.callback }),
    answer: () => answers.shift() ?? 'Yes of course.',
    synthesizers: voices,
    closesAtEnd: true,
  };
  const stage = createHarness(options);
  const news = new Map<HarnessEvent, number>();
  let happened = 0;
  const planned = plan.length;
  const run = (step: (typeof plan)[number]) => {
    happened++;
    step.run(stage);
  };
  stage.listen((what) => {
    const nth = (news.get(what) ?? 0) + 1;
    news.set(what, nth);
    for (const step of plan) {
      if (typeof step.at === 'number' || step.at.after !== what || step.at.nth !== nth) continue;
      stage.clock.after(step.at.plus, () => run(step));
    }
  });
  for (const step of plan) if (typeof step.at === 'number') stage.clock.after(step.at, () => run(step));
  stage.conversation.start();
  await stage.clock.advance(setting.lasts ?? DEFAULT_DURATION_MS);
  expect(happened, 'everything in the script happened').toBe(planned);
  for (const check of checks) check(stage);
  return stage;
}

function transferSettings(transfer: ScenarioSetup['transfer']): Record<string, unknown> {
  if (!transfer) return {};
  return {
    transfer_enabled: true,
    transfer_targets: [{ name: 'Sales', number: '+919800011111', description: 'bills' }],
    transfer_message: transfer.says ?? '',
    transfer_summary: !transfer.cold,
  };
}

const callBackSettings = (callBack: ScenarioSetup['callback']) => (callBack ? { auto_reschedule: true } : {});

function toolOptions(tool: NonNullable<ScenarioSetup['tool']>): Partial<HarnessOptions> {
  return {
    tools: [
      {
        name: 'find_table',
        description: 'Finds a free table.',
        url: 'https://api.example.com/tables',
        parameters: { type: 'object', properties: { people: { type: 'integer' } } },
        pre_call_message: tool.says ?? '',
        timeout_seconds: tool.timeoutSeconds ?? 8,
      },
    ],
    toolAnswer: {
      afterMs: tool.after,
      ...(tool.status === undefined ? {} : { status: tool.status }),
      ...(tool.body === undefined ? {} : { body: tool.body }),
    },
  };
}

/** The words of a saying, as its transcriber writes them. */
function transcribe(stage: Harness, setting: ScenarioSetup, text: string, how: Utterance, turn: number): void {
  const decides = (setting.transcriber ?? 'turns') === 'turns';
  const { firstWordAfter = 120, transcriptAfter = decides ? 200 : 500, ends = 1 } = how;
  const words = text.split(' ');
  const { clock } = stage;
  const lastMs = how.for + transcriptAfter;
  if (!how.noInterims) {
    for (const [index] of words.entries()) {
      const atMs = firstWordAfter + Math.round((index * how.for) / words.length);
      if (atMs > lastMs) break;
      const soFar = words.slice(0, index + 1).join(' ');
      const type = index === 0 && decides ? 'turn_started' : 'partial';
      clock.after(atMs, () => stage.transcriberSays({ type, turn, text: soFar }));
    }
  }
  if (how.eagerAfter !== undefined) {
    clock.after(how.for + how.eagerAfter, () => stage.transcriberSays({ type: 'turn_eager_end', turn, text }));
  }
  if (how.noEnd) return;
  for (let time = 0; time < ends; time++) {
    const type = decides ? 'turn_ended' : 'final';
    clock.after(lastMs + time * 60, () => stage.transcriberSays({ type, turn, text: how.finally ?? text }));
  }
}

function expectations(checks: ((stage: Harness) => void)[]): Expectations {
  const matching = (lines: (string | RegExp)[]) =>
    lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line)));
  const add = (check: (stage: Harness) => void) => void checks.push(check);
  return {
    transcript: (lines) => add((stage) => expect(stage.transcript()).toEqual(matching(lines))),
    lastLine: (line) => add((stage) => expect([stage.transcript().at(-1)]).toEqual(matching([line]))),
    events: (types) => add((stage) => expect(stage.types()).toEqual(types)),
    count: (type, times) =>
      add((stage) =>
        expect(
          stage.types().filter((one) => one === type),
          `how often ${type}`,
        ).toHaveLength(times),
      ),
    never: (...types) => add((stage) => expect(stage.types().filter((type) => types.includes(type))).toEqual([])),
    history: (lines, ofRequest) =>
      add((stage) => {
        const request = ofRequest === undefined ? stage.requests.at(-1) : stage.requests[ofRequest - 1];
        const told = request?.messages.slice(1).map((message) => `${message.role}: ${message.content}`);
        expect(told).toEqual(matching(lines));
      }),
    requests: (times) => add((stage) => expect(stage.requests, 'questions to the model').toHaveLength(times)),
    spoken: (...texts) => add((stage) => expect(stage.spoken.map((piece) => piece.text)).toEqual(texts)),
    silentBy: (happening, withinMs, forMs = 400) =>
      add((stage) => {
        const fromMs = happening.startMs + withinMs;
        const heard = stage.played.filter(
          (stretch) => stretch.atMs < fromMs + forMs && stretch.atMs + stretch.toMs - stretch.fromMs > fromMs,
        );
        expect(heard, `heard ${withinMs} ms later`).toEqual([]);
      }),
    neverCleared: () => add((stage) => expect(stage.carrier.clears).toEqual([])),
    clears: (times) => add((stage) => expect(stage.carrier.clears, 'clears').toHaveLength(times)),
    playedOnce: (context = 1) =>
      add((stage) => {
        const given = [...stage.contexts.values()].find((one) => one.number === context);
        let position = 0;
        for (const stretch of stage.played.filter((one) => one.context === context)) {
          expect(stretch.fromMs, 'goes on where it stopped').toBe(position);
          position = stretch.toMs;
        }
        expect(position, 'heard to its end').toBe(given?.givenMs);
        expect(position).toBeGreaterThan(0);
      }),
    playedFor: (context, ms, give = 40) =>
      add((stage) => {
        const heardMs = stage.played
          .filter((stretch) => stretch.context === context)
          .reduce((sum, stretch) => sum + stretch.toMs - stretch.fromMs, 0);
        expect(Math.abs(heardMs - ms), `${heardMs} ms were heard, ${ms} expected`).toBeLessThanOrEqual(give);
      }),
    duckedBy: (happening, withinMs) =>
      add((stage) => {
        const fromMs = happening.startMs + withinMs;
        const frames = stage.sent.filter((frame) => frame.atMs >= fromMs && frame.atMs < fromMs + 100);
        expect(frames.length).toBeGreaterThan(0);
        expect(frames.filter((frame) => !frame.ducked)).toEqual([]);
      }),
    fullVolumeAtEnd: () => add((stage) => expect(stage.sent.at(-1)?.ducked).toBe(false)),
    neverDucked: () => add((stage) => expect(stage.sent.filter((frame) => frame.ducked)).toEqual([])),
    toolRuns: (times) => add((stage) => expect(stage.toolRuns, 'runs of the tool').toHaveLength(times)),
    neverSent: (context) => add((stage) => expect(stage.sent.filter((frame) => frame.context === context)).toEqual([])),
    firstAudioWithin: (ms, nth = 1) =>
      add((stage) => {
        const first = stage.emitted.filter((event) => event.type === 'tts.first_audio')[nth - 1];
        expect(first?.latency_ms).toBeLessThanOrEqual(ms);
      }),
    callEnds: (...ends) => add((stage) => expect(stage.ends).toEqual(ends)),
    that: (_what, holds) => add(holds),
  };
}
