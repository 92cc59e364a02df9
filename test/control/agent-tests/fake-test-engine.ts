import type { PlayDeps } from '../../../control/agent-tests/play-run.ts';
import type { CallEvent, StartTestCall, TestTurn, TestTurnReply } from '../../../shared/bus/messages.ts';
import type { HangupReason } from '../../../shared/call.ts';
import type { EventType } from '../../../shared/events.ts';
import type { TranscriptItem } from '../../../shared/transcript.ts';

/** An engine with the caller and the call of a test, and without audio: turns are done at once. */
export interface FakeTestEngine {
  bus: PlayDeps['bus'];
  started: StartTestCall[];
  /** Ids of calls that control hung up. */
  hangUps: string[];
  /** So many starts are refused first. */
  refuses: number;
  onTurn(turn: TestTurn): TestTurnReply;
  /** The agent says this in answer to the turn. */
  agentSays(text: string, more?: AgentLine): TestTurnReply;
  transcribes(text: string): void;
  tool(name: string, result: string): void;
  hangUp(reason: HangupReason): TestTurnReply;
}

interface AgentLine {
  first_audio_ms?: number;
  interrupted?: boolean;
  stopped_after_ms?: number;
  talk_over_ms?: number;
}

export function createFakeTestEngine(): FakeTestEngine {
  let listener: (event: CallEvent) => void = () => {};
  let taken: TestTurn | null = null;
  let over = false;
  let saidMs = 0;
  let interruptedMs: number | null = null;
  /** As at a real engine, the welcome's line comes with the next event. */
  let lines: TranscriptItem[] = [];
  let atMs = Date.now();
  const now = () => ++atMs;

  function emit(type: EventType, data: object, { transcript = [], ...more }: Partial<CallEvent> = {}): void {
    const committed = [...lines.splice(0), ...transcript];
    listener({
      ...{ call_id: '', seq: 1, engine_id: 'e', at_ms: now(), type, level: 'info', message: '', transcript: committed },
      data_json: JSON.stringify(data),
      ...more,
    });
  }

  const engine: FakeTestEngine = {
    started: [],
    hangUps: [],
    refuses: 0,
    onTurn: () => engine.agentSays('Hello.'),
    agentSays(text, { first_audio_ms, interrupted = false, stopped_after_ms, talk_over_ms = 0 } = {}) {
      emit('tts.first_audio', { welcome: first_audio_ms === undefined }, { latency_ms: first_audio_ms ?? 5 });
      const transcript = [{ role: 'agent' as const, text, at_ms: now(), interrupted }];
      if (taken?.text === '') {
        emit('welcome', {}, { message: text });
        lines = transcript;
      } else emit(interrupted ? 'interrupted' : 'agent.reply', {}, { transcript });
      if (interrupted) interruptedMs = now();
      const result = {
        ...(taken?.text ? { said_at_ms: saidMs } : {}),
        ...(interruptedMs === null ? {} : { interrupted_at_ms: interruptedMs }),
        ...{ agent_spoke: true, talk_over_ms, stopped_after_ms },
        provider_usage_json:
          '[{"component":"voice","provider":"elevenlabs","model":"eleven_flash_v2_5","tts_characters":42}]',
      };
      return { done: true, over: false, failed: '', result };
    },
    transcribes(text) {
      emit(
        'user.turn',
        {},
        { transcript: [{ role: 'user', text: text.toLowerCase(), at_ms: now(), interrupted: false }] },
      );
    },
    tool(name, result) {
      emit('tool.call', { name, args: {} });
      emit('tool.result', { name, status: 200, result });
    },
    hangUp(hangup_reason) {
      over = true;
      const result = {
        ...(taken?.text ? { said_at_ms: saidMs } : {}),
        ...{ agent_spoke: false, talk_over_ms: 0 },
        provider_usage_json:
          '[{"component":"voice","provider":"elevenlabs","model":"eleven_flash_v2_5","tts_characters":42}]',
      };
      const used = [
        { component: 'transcriber', provider: 'deepgram_flux', model: 'flux-general-en', stt_seconds: 8 },
        { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 30 },
        { component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', llm_input_tokens: 900, llm_output_tokens: 50 },
      ];
      const ending = { hangup_by: 'caller' as const, hangup_reason, duration_seconds: 9, recorded: true };
      emit(
        'call.ended',
        { usage: { llm_calls: 2 } },
        { ending: { ...ending, provider_usage_json: JSON.stringify(used) } },
      );
      return { done: true, over: true, failed: '', result };
    },
    bus: {
      async sendHangUp({ call_id }) {
        engine.hangUps.push(call_id);
        over = true;
        return { done: true, detail: '' };
      },
      testCalls: {
        async start(command) {
          if (engine.refuses-- > 0) return { done: false, detail: 'the engine takes no more calls' };
          engine.started.push(command);
          over = false;
          emit('call.started', {});
          return { done: true, detail: '' };
        },
        async sendTurn(turn) {
          if (over) return { done: true, over: true, failed: '' };
          [taken, saidMs, interruptedMs] = [turn, now(), null];
          await new Promise((resolve) => setImmediate(resolve));
          return engine.onTurn(turn);
        },
        onEvents(_callId, given) {
          listener = given;
          return { stop: () => {} };
        },
        serveStarts() {},
        serveTurns: () => ({ stop: () => {} }),
        publishEvent: async () => {},
      },
    },
  };
  return engine;
}
