import type { TestTurn, TestTurnReply } from '../../shared/bus/messages.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { FRAME_MS, FRAME_SAMPLES, MULAW_8K, silenceByte } from '../audio/format.ts';
import { readSamples } from '../audio/samples.ts';
import type { Ambient } from '../playout/ambient.ts';
import type { MediaClock } from '../playout/media-clock.ts';
import type { Vad } from '../turn/vad.ts';
import { AGENT_PAUSE_MS, type CallerTurn, nextStep, startTurn } from './caller-turn.ts';
import type { CallerVoice } from './caller-voice.ts';
import type { TestLine } from './test-line.ts';

/** The caller of a test on the line: speaks and interrupts as control says, and hears when the agent speaks. */
export interface TestCaller {
  /** Takes a turn; resolves when it is done, or after 3 seconds with `done: false`. A repeated turn is taken once. */
  take(turn: TestTurn): Promise<TestTurnReply>;
  /** Ends the caller: the line is closed, or `failed` says what broke on the caller's side. */
  end(reason: string, failed?: string): void;
}

export interface TestCallerOptions {
  line: TestLine;
  voice: CallerVoice;
  /** Behind the caller. */
  background: Pick<Ambient, 'mixInto'> | null;
  vad: Vad;
  mediaClock: Pick<MediaClock, 'subscribe'>;
  clock: Clock;
  /** The line is closed, and control was told or does not ask. */
  onOver(): void;
}

const REPLY_WITHIN_MS = 3_000;
/** Without a turn for this long control is dead. */
const CONTROL_DEADLINE_MS = 15_000;
/** For the reply that says so to be sent. */
const LAST_REPLY_MS = 100;
const SPEECH_PROBABILITY = 0.5;

export function createTestCaller(options: TestCallerOptions): TestCaller {
  const { line, voice, background, vad, mediaClock, clock, onOver } = options;
  const silence = new Uint8Array(FRAME_SAMPLES).fill(silenceByte(MULAW_8K.encoding));
  const samples = new Int16Array(FRAME_SAMPLES);
  const replies: TestTurnReply[] = [];
  const waiting = new Set<() => void>();
  let turn: CallerTurn | null = null;
  let command: TestTurn | null = null;
  let lastAgentSpeechMs = Number.NEGATIVE_INFINITY;
  /** The agent has spoken since the last turn. */
  let agentSpoke = false;
  let figures: LineFigures = newFigures();
  let over = '';
  let failure = '';
  /** Control knows that it is over. */
  let reported = false;
  let deadline: Timer = clock.after(CONTROL_DEADLINE_MS, () => end('control does not answer'));

  const hearing = vad.open((probability, endMs) => {
    if (probability < SPEECH_PROBABILITY) return;
    lastAgentSpeechMs = endMs;
    agentSpoke = true;
  });
  const stopTicks = mediaClock.subscribe(tick);

  function tick(nowMs: number): void {
    const speech = voice.next();
    const frame = speech ?? silence;
    const agent = line.tick(background ? background.mixInto(frame, MULAW_8K.encoding) : frame);
    readSamples(agent, MULAW_8K.encoding, samples);
    hearing.push(samples, nowMs);
    if (!turn) return;
    const agentSilentMs = nowMs - lastAgentSpeechMs;
    measure(nowMs, agentSilentMs);
    const step = nextStep(turn, { nowMs, saying: voice.saying, agentSilentMs });
    if (step === 'interrupt') voice.say(command!.interruption);
    if (step === 'hang up') end('the caller hung up');
    else if (step === 'done') finish();
  }

  function measure(nowMs: number, agentSilentMs: number): void {
    if (voice.audible) {
      if (agentSilentMs < AGENT_PAUSE_MS) figures.talkOverMs += FRAME_MS;
      if (turn!.phase === 'speaking') figures.saidMs ??= nowMs;
      if (turn!.phase === 'interrupting') figures.interruptedMs ??= nowMs;
    }
    if (figures.interruptedMs !== null && figures.stoppedMs === null && agentSilentMs >= AGENT_PAUSE_MS) {
      figures.stoppedMs = Math.max(figures.interruptedMs, lastAgentSpeechMs);
    }
  }

  function finish(): void {
    if (!command || !turn) return;
    const wall = (ms: number | null) => (ms === null ? undefined : clock.wall() - (clock.now() - ms));
    const { saidMs, interruptedMs, stoppedMs, talkOverMs } = figures;
    replies[command.turn] = {
      done: true,
      over: over !== '',
      failed: '',
      result: {
        said_at_ms: wall(saidMs),
        interrupted_at_ms: wall(interruptedMs),
        agent_spoke: turn.agentSpoke,
        talk_over_ms: talkOverMs,
        stopped_after_ms: interruptedMs === null || stoppedMs === null ? undefined : stoppedMs - interruptedMs,
        provider_usage_json: JSON.stringify(voice.usage()),
      },
    };
    turn = null;
    command = null;
    agentSpoke = false;
    for (const answer of waiting) answer();
  }

  function end(reason: string, failed = ''): void {
    if (over !== '') return;
    over = reason;
    failure = failed;
    finish();
    line.hangUp();
    stopTicks();
    hearing.close();
    void voice.close();
    for (const answer of waiting) answer();
    deadline.cancel();
    deadline = clock.after(CONTROL_DEADLINE_MS, onOver);
  }

  /** What is known of the turn now; null while it goes on. */
  function replyTo(number: number): TestTurnReply | null {
    const reply = replies[number];
    if (reply) return over === '' ? reply : { ...reply, over: true, failed: failure };
    return over === '' ? null : { done: true, over: true, failed: failure };
  }

  return {
    end,
    async take(next) {
      if (over === '') {
        deadline.cancel();
        deadline = clock.after(CONTROL_DEADLINE_MS, () => end('control does not answer'));
      }
      if (over === '' && next.turn === replies.length && !turn) {
        const { text, interruption, hangs_up: hangsUp } = next;
        command = next;
        figures = newFigures();
        turn = startTurn({ says: text !== '', interrupts: interruption !== '', hangsUp, agentSpoke }, clock.now());
        if (text !== '') voice.say(text);
      }
      const reply = replyTo(next.turn) ?? (await within(REPLY_WITHIN_MS, next.turn));
      if (reply.over && !reported) {
        reported = true;
        deadline.cancel();
        deadline = clock.after(LAST_REPLY_MS, onOver);
      }
      return reply;
    },
  };

  function within(ms: number, number: number): Promise<TestTurnReply> {
    return new Promise((resolve) => {
      const answer = () => {
        timer.cancel();
        waiting.delete(answer);
        resolve(replyTo(number) ?? { done: false, over: false, failed: '' });
      };
      const timer = clock.after(ms, answer);
      waiting.add(answer);
    });
  }
}

interface LineFigures {
  saidMs: number | null;
  interruptedMs: number | null;
  stoppedMs: number | null;
  talkOverMs: number;
}

const newFigures = (): LineFigures => ({ saidMs: null, interruptedMs: null, stoppedMs: null, talkOverMs: 0 });
