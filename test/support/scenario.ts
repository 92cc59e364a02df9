import { expect, test } from 'vitest';
import type { RecordingMixer } from '../../media/call/recording-mixer.ts';
import type { Background } from '../../media/playout/leg-output.ts';
import type { TurnDetection } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { EventType } from '../../shared/events.ts';
import type { LiveOrder } from '../../shared/live-control.ts';
import type { TransferStatus } from '../../shared/transfer.ts';
import { NOT_OVER_REALTIME } from '../scenarios/not-over-realtime.ts';
import { undocumented } from './documented-events.ts';
import type { CallbackBehaviour } from './fake-callback-booking.ts';
import type { CarrierBehaviour } from './fake-carrier.ts';
import type { HandoffBehaviour } from './fake-handoffs.ts';
import type { FakeKnowledgeOptions } from './fake-knowledge.ts';
import type { ModelAnswer } from './fake-model.ts';
import type { SynthesizerBehaviour } from './fake-synthesizer.ts';
import type { TransferBehaviour } from './fake-transfers.ts';
import { createHarness, type Harness, type HarnessEvent, type HarnessOptions } from './harness.ts';

/**
 * A DSL for conversation scenarios: what the caller says when, how the providers behave, and the expected result. The script is
 * collected first, then played on the virtual clock, then its expectations are checked.
 *
 * ```ts
 * scenario('"wait" interrupts the agent at once', {}, (s) => {
 *   s.caller('book a table', { at: 500, for: 2000, transcriptAfter: 200 });
 *   s.model('Certainly, for how many people shall it be?', { firstToken: 100 });
 *   const wait = s.caller('wait', { at: agentSpeaking(1, 800), for: 400 });
 *   s.expect.silentBy(wait, 300);
 * });
 * ```
 */

export interface ScenarioSetup {
  /** Settings of the agent's `call`. */
  call?: Record<string, unknown>;
  welcome?: string;
  prompt?: string;
  /** Language of the agent's voice; default English. */
  language?: string;
  values?: Record<string, string | number | boolean>;
  /** `turns`: the transcriber detects turns. `words`: it only transcribes. */
  transcriber?: 'turns' | 'words';
  endpointing?: number;
  turnDetection?: TurnDetection;
  finalisation?: number;
  /** Prediction and delay of a turn detection model. */
  turnModel?: { afterMs: number; probability: number };
  carrier?: CarrierBehaviour;
  /** Ambient sound. */
  background?: Background;
  /** Records the agent's audio. */
  recordingMixer?: Pick<RecordingMixer, 'addAgent' | 'dropAgent'>;
  /** The agent's knowledge and the behaviour of searches. */
  knowledge?: FakeKnowledgeOptions;
  /** Behaviour of synthesizer contexts that the script does not define. */
  synthesizer?: SynthesizerBehaviour;
  /** Offset of the VAD windows' times. */
  voiceActivityAhead?: number;
  /** The agent has an HTTP tool `find_table` with this response. */
  tool?: { after: number; status?: number; body?: string; says?: string; timeoutSeconds?: number };
  /** The agent can transfer to `Sales`, with this behaviour of control. */
  transfer?: TransferBehaviour & { cold?: boolean; says?: string };
  /** The agent can hand the call to `Billing`, with this behaviour of control. */
  handoff?: HandoffBehaviour & { history_turns?: number; says?: string };
  /** The agent can book callbacks, with this behaviour of control. */
  callback?: CallbackBehaviour;
  /** The model hears and speaks itself. */
  realtime?: boolean;
  /** Virtual milliseconds before the expectations are checked. */
  lasts?: number;
}

/** A time of the call, or one relative to an event. */
export type Moment = number | { after: HarnessEvent; nth: number; plus: number };

/** After the first audio of the n-th reply, including the welcome. */
export const agentSpeaking = (nth: number, plus = 0): Moment => ({ after: 'tts.first_audio', nth, plus });
/** After the n-th model request. */
export const modelAsked = (nth: number, plus = 0): Moment => ({ after: 'asked', nth, plus });
/** After the n-th reply was played to its end, without the welcome. */
export const replyPlayed = (nth: number, plus = 0): Moment => ({ after: 'agent.reply', nth, plus });
/** After the n-th clear. */
export const cleared = (nth: number, plus = 0): Moment => ({ after: 'cleared', nth, plus });
/** After the n-th event of this type. */
export const emitted = (after: EventType, nth = 1, plus = 0): Moment => ({ after, nth, plus });

export interface Utterance {
  at: Moment;
  /** Duration of the speech. */
  for: number;
  /** From the end of speech to its final transcript; default 200 with turn detection, else 500. */
  transcriptAfter?: number;
  /** From the start of speech to its first word; default 120. */
  firstWordAfter?: number;
  /** Transcribed without speech. */
  unvoiced?: boolean;
  /** No interim results. */
  noInterims?: boolean;
  /** No final transcript. */
  noEnd?: boolean;
  /** Number of final events. */
  ends?: number;
  /** The transcriber's turn number; default: the next one. */
  turn?: number;
  /** The final transcript, where it differs from the interim ones. */
  finally?: string;
  /** Delay of the eager end of turn after the speech. */
  eagerAfter?: number;
}

/** A scheduled action; its times are set when it happens. */
export interface TimedEvent {
  startMs: number;
  endMs: number;
}

export type ModelTiming = Omit<ModelAnswer, 'text' | 'firstTokenMs' | 'everyMs'> & {
  firstToken?: number;
  every?: number;
};

export interface Script {
  /** The caller says this: speech and transcriber events. */
  caller(text: string, how: Utterance): TimedEvent;
  /** Speech without words. */
  noise(how: { at: Moment; for: number }): TimedEvent;
  /** The network delivers nothing of the caller for this long, and then all of it at once. */
  stall(how: { at: Moment; for: number }): void;
  /** A beep that ends at this time. */
  beep(at: Moment, hz?: number): void;
  /** A single transcriber event. */
  transcriber(
    type: 'turn_started' | 'partial' | 'turn_eager_end' | 'turn_resumed' | 'turn_ended' | 'final',
    text: string,
    how: { at: Moment; turn: number },
  ): void;
  /** The model's next reply. Further requests get "Yes of course." */
  model(text: string, how?: ModelTiming): void;
  /** Behaviour of the next synthesizer context, in the order of creation. */
  synthesizer(how: SynthesizerBehaviour): void;
  /** The caller hangs up. */
  hangUp(at: Moment): TimedEvent;
  /** DTMF digits of the caller, after the wait for more. */
  keys(digits: string, at: Moment): void;
  /** A person orders this in the live call. */
  order(order: LiveOrder, at: Moment): void;
  /** Control reports the status of the last transfer. */
  transferOutcome(status: TransferStatus, at: Moment): void;
  /** The carrier ends the stream. */
  streamEnds(at: Moment): void;
  readonly expect: Expectations;
}

export interface Expectations {
  /** The whole transcript, as `user: …` and `agent: …`; an interrupted line ends with ` —`. */
  transcript(lines: (string | RegExp)[]): void;
  /** The last line of it. */
  lastLine(line: string | RegExp): void;
  /** All timeline events, in order. */
  events(types: EventType[]): void;
  count(type: EventType, times: number): void;
  never(...types: EventType[]): void;
  /** The conversation in the last (or n-th) model request. */
  history(lines: (string | RegExp)[], ofRequest?: number): void;
  requests(times: number): void;
  /** All texts given to the synthesizer. */
  spoken(...texts: string[]): void;
  /** From `withinMs` after the start of the action on, the agent is silent for at least `forMs`. */
  silentBy(action: TimedEvent, withinMs: number, forMs?: number): void;
  /** The carrier is never cleared. */
  neverCleared(): void;
  clears(times: number): void;
  /** The n-th context was played from its first to its last millisecond, once. */
  playedOnce(context?: number): void;
  /** This many milliseconds of the n-th context were played. */
  playedFor(context: number, ms: number, give?: number): void;
  /** From `withinMs` after the start of the action on, frames are ducked for 100 ms. */
  duckedBy(action: TimedEvent, withinMs: number): void;
  /** From `withinMs` after the start of the action on, what is played is ducked for 100 ms. */
  duckedPlayedBy(action: TimedEvent, withinMs: number): void;
  /** The last frame is not ducked. */
  fullVolumeAtEnd(): void;
  neverDucked(): void;
  /** Number of tool requests. */
  toolRuns(times: number): void;
  /** Nothing of the n-th context was sent to the carrier. */
  neverSent(context: number): void;
  /** The latency of the n-th `tts.first_audio`. */
  firstAudioWithin(ms: number, nth?: number): void;
  callEnds(...callEnds: CallEnd[]): void;
  /** A custom check of the harness at the end. */
  that(what: string, holds: (harness: Harness) => void): void;
}

/** Default duration in virtual milliseconds. */
const DEFAULT_DURATION_MS = 20_000;

export function scenario(title: string, setting: ScenarioSetup, write: (script: Script) => void): void {
  test(title, () => play(setting, write));
  const reason = NOT_OVER_REALTIME[title];
  // Every conversation once more with a speech-to-speech model, when all are played.
  if (process.env.ALL && !reason)
    test(`${title} (speech to speech)`, () => play({ ...setting, realtime: true }, write));
}

/** Plays one scenario; throws when an expectation fails. */
export async function play(setting: ScenarioSetup, write: (script: Script) => void): Promise<Harness> {
  const answers: ModelAnswer[] = [];
  const synthesizers: SynthesizerBehaviour[] = [];
  const plan: { at: Moment; run: (harness: Harness) => void }[] = [];
  const checks: ((harness: Harness) => void)[] = [];
  let turn = 0;

  const script: Script = {
    caller(text, how) {
      const action = { startMs: Number.NaN, endMs: Number.NaN };
      const number = how.turn ?? turn++;
      turn = Math.max(turn, number + 1);
      plan.push({
        at: how.at,
        run: (harness) => {
          action.startMs = harness.clock.now();
          action.endMs = action.startMs + how.for;
          if (!how.unvoiced) harness.speak(how.for);
          transcribe(harness, setting, text, how, number);
        },
      });
      return action;
    },
    noise(how) {
      const action = { startMs: Number.NaN, endMs: Number.NaN };
      plan.push({
        at: how.at,
        run: (harness) => {
          action.startMs = harness.clock.now();
          action.endMs = action.startMs + how.for;
          harness.speak(how.for);
        },
      });
      return action;
    },
    stall: (how) => void plan.push({ at: how.at, run: (harness) => harness.stall(how.for) }),
    beep(at, hz = 1000) {
      // The detector waits for 60 ms of silence.
      plan.push({
        at,
        run: (harness) =>
          void harness.clock.after(60, () => harness.conversation.machineDetector?.onInput({ type: 'beep', hz })),
      });
    },
    transcriber(type, text, how) {
      turn = Math.max(turn, how.turn + 1);
      plan.push({ at: how.at, run: (harness) => harness.transcriberSays({ type, text, turn: how.turn }) });
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
    synthesizer: (how) => void synthesizers.push(how),
    hangUp(at) {
      const action = { startMs: Number.NaN, endMs: Number.NaN };
      plan.push({
        at,
        run: (harness) => {
          action.startMs = harness.clock.now();
          action.endMs = action.startMs;
          harness.close();
        },
      });
      return action;
    },
    keys: (digits, at) => void plan.push({ at, run: (harness) => harness.conversation.onKeys(digits) }),
    order: (order, at) => void plan.push({ at, run: (harness) => harness.order(order) }),
    transferOutcome(status, at) {
      const tell = (harness: Harness) => {
        const transfer_id = harness.transfers.at(-1)?.transfer_id ?? '';
        harness.conversation.transfers.onOutcome({ call_id: '', transfer_id, status, dial_status: `${status}!` });
      };
      plan.push({ at, run: tell });
    },
    streamEnds: (at) => void plan.push({ at, run: (harness) => void harness.streamEnds() }),
    expect: expectations(checks),
  };
  write(script);

  const options: HarnessOptions = {
    ...setting,
    // Scenarios end in silence, so the silence timeout is long by default.
    call: {
      hangup_after_silence_seconds: 120,
      ...transferSettings(setting.transfer),
      ...handoffSettings(setting.handoff),
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
    ...(setting.handoff === undefined ? {} : { handoff: setting.handoff }),
    ...(setting.callback === undefined ? {} : { callback: setting.callback }),
    answer: () => answers.shift() ?? 'Yes of course.',
    synthesizers,
    closesAtEnd: true,
  };
  const harness = createHarness(options);
  const eventCounts = new Map<HarnessEvent, number>();
  let happened = 0;
  const planned = plan.length;
  const run = (step: (typeof plan)[number]) => {
    happened++;
    step.run(harness);
  };
  harness.listen((what) => {
    const nth = (eventCounts.get(what) ?? 0) + 1;
    eventCounts.set(what, nth);
    for (const step of plan) {
      if (typeof step.at === 'number' || step.at.after !== what || step.at.nth !== nth) continue;
      harness.clock.after(step.at.plus, () => run(step));
    }
  });
  for (const step of plan) if (typeof step.at === 'number') harness.clock.after(step.at, () => run(step));
  harness.conversation.start();
  await harness.clock.advance(setting.lasts ?? DEFAULT_DURATION_MS);
  expect(happened, 'every step of the script ran').toBe(planned);
  for (const check of checks) check(harness);
  expect(undocumented(harness.emitted)).toEqual([]);
  return harness;
}

function handoffSettings(handoff: ScenarioSetup['handoff']): Record<string, unknown> {
  if (!handoff) return {};
  const { history_turns = null, says = '' } = handoff;
  const billing = { agent_id: 'billing', name: 'Billing', description: 'bills', history_turns, first_message: says };
  return { handoffs: [billing] };
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

/** Schedules the transcriber events of an utterance. */
function transcribe(harness: Harness, setting: ScenarioSetup, text: string, how: Utterance, turn: number): void {
  const decides = (setting.transcriber ?? 'turns') === 'turns';
  const { firstWordAfter = 120, transcriptAfter = decides ? 200 : 500, ends = 1 } = how;
  const words = text.split(' ');
  const { clock } = harness;
  const lastMs = how.for + transcriptAfter;
  if (!how.noInterims) {
    for (const [index] of words.entries()) {
      const atMs = firstWordAfter + Math.round((index * how.for) / words.length);
      if (atMs > lastMs) break;
      const soFar = words.slice(0, index + 1).join(' ');
      const type = index === 0 && decides ? 'turn_started' : 'partial';
      clock.after(atMs, () => harness.transcriberSays({ type, turn, text: soFar }));
    }
  }
  if (how.eagerAfter !== undefined) {
    clock.after(how.for + how.eagerAfter, () => harness.transcriberSays({ type: 'turn_eager_end', turn, text }));
  }
  if (how.noEnd) return;
  for (let time = 0; time < ends; time++) {
    const type = decides ? 'turn_ended' : 'final';
    clock.after(lastMs + time * 60, () => harness.transcriberSays({ type, turn, text: how.finally ?? text }));
  }
}

function expectations(checks: ((harness: Harness) => void)[]): Expectations {
  const matching = (lines: (string | RegExp)[]) =>
    lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line)));
  const add = (check: (harness: Harness) => void) => void checks.push(check);
  return {
    transcript: (lines) => add((harness) => expect(harness.transcript()).toEqual(matching(lines))),
    lastLine: (line) => add((harness) => expect([harness.transcript().at(-1)]).toEqual(matching([line]))),
    events: (types) => add((harness) => expect(harness.types()).toEqual(types)),
    count: (type, times) =>
      add((harness) =>
        expect(
          harness.types().filter((one) => one === type),
          `how often ${type}`,
        ).toHaveLength(times),
      ),
    never: (...types) => add((harness) => expect(harness.types().filter((type) => types.includes(type))).toEqual([])),
    history: (lines, ofRequest) =>
      add((harness) => {
        const request = ofRequest === undefined ? harness.requests.at(-1) : harness.requests[ofRequest - 1];
        const messages = request?.messages.slice(1).map((message) => `${message.role}: ${message.content}`);
        expect(messages).toEqual(matching(lines));
      }),
    requests: (times) => add((harness) => expect(harness.requests, 'model requests').toHaveLength(times)),
    spoken: (...texts) => add((harness) => expect(harness.spoken.map(({ text }) => text)).toEqual(texts)),
    silentBy: (action, withinMs, forMs = 400) =>
      add((harness) => {
        const fromMs = action.startMs + withinMs;
        const played = harness.played.filter(
          (stretch) => stretch.atMs < fromMs + forMs && stretch.atMs + stretch.toMs - stretch.fromMs > fromMs,
        );
        expect(played, `played ${withinMs} ms later`).toEqual([]);
      }),
    neverCleared: () => add((harness) => expect(harness.carrier.clears).toEqual([])),
    clears: (times) => add((harness) => expect(harness.carrier.clears, 'clears').toHaveLength(times)),
    playedOnce: (context = 1) =>
      add((harness) => {
        const given = [...harness.contexts.values()].find((one) => one.number === context);
        let position = 0;
        for (const stretch of harness.played.filter((one) => one.context === context)) {
          expect(stretch.fromMs, 'resumes where it stopped').toBe(position);
          position = stretch.toMs;
        }
        expect(position, 'played to its end').toBe(given?.givenMs);
        expect(position).toBeGreaterThan(0);
      }),
    playedFor: (context, ms, give = 40) =>
      add((harness) => {
        const heardMs = harness.played
          .filter((stretch) => stretch.context === context)
          .reduce((sum, stretch) => sum + stretch.toMs - stretch.fromMs, 0);
        expect(Math.abs(heardMs - ms), `${heardMs} ms were played, ${ms} expected`).toBeLessThanOrEqual(give);
      }),
    duckedBy: (action, withinMs) =>
      add((harness) => {
        const fromMs = action.startMs + withinMs;
        const frames = harness.sent.filter((frame) => frame.atMs >= fromMs && frame.atMs < fromMs + 100);
        expect(frames.length).toBeGreaterThan(0);
        expect(frames.filter((frame) => !frame.ducked)).toEqual([]);
      }),
    duckedPlayedBy: (action, withinMs) =>
      add((harness) => {
        const fromMs = action.startMs + withinMs;
        const frames = harness.sent.filter((frame) => frame.playAtMs >= fromMs && frame.playAtMs < fromMs + 100);
        expect(frames.length).toBeGreaterThan(0);
        expect(frames.filter((frame) => !frame.ducked)).toEqual([]);
      }),
    fullVolumeAtEnd: () => add((harness) => expect(harness.sent.at(-1)?.ducked).toBe(false)),
    neverDucked: () => add((harness) => expect(harness.sent.filter((frame) => frame.ducked)).toEqual([])),
    toolRuns: (times) => add((harness) => expect(harness.toolRuns, 'runs of the tool').toHaveLength(times)),
    neverSent: (context) =>
      add((harness) => expect(harness.sent.filter((frame) => frame.context === context)).toEqual([])),
    firstAudioWithin: (ms, nth = 1) =>
      add((harness) => {
        const first = harness.emitted.filter((event) => event.type === 'tts.first_audio')[nth - 1];
        expect(first?.latency_ms).toBeLessThanOrEqual(ms);
      }),
    callEnds: (...ends) => add((harness) => expect(harness.ends).toEqual(ends)),
    that: (_what, holds) => add(holds),
  };
}
