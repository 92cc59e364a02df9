import { FRAME_SAMPLES, MULAW_8K } from '../../media/audio/format.ts';
import { encodeMulaw } from '../../media/audio/g711.ts';
import { Call, type CallOptions } from '../../media/call/call.ts';
import type { ProviderFactory } from '../../media/call/provider-factory.ts';
import type { Leg, LegListener } from '../../media/leg/leg.ts';
import type { ConcurrencyPermits } from '../../media/provider/concurrency-permits.ts';
import type { Health } from '../../media/provider/health.ts';
import type { EventDetails } from '../../media/report/reporter.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../../media/stt/transcriber.ts';
import type { Vad, VadListener } from '../../media/turn/vad.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { CommandReply, LiveOrderRequest, Session } from '../../shared/bus/messages.ts';
import type { ChatRequest } from '../../shared/llm/language-model.ts';
import { createLogger } from '../../shared/log.ts';
import { createFakeModel, type ModelAnswer } from './fake-model.ts';
import { createFakeSynthesizer } from './fake-synthesizer.ts';
import { unlimitedPermits } from './memory-permits.ts';
import { createVirtualClock } from './virtual-clock.ts';

export interface SingleCallOptions {
  session?: Partial<Session>;
  /** The agent's settings of calls. */
  settings?: Record<string, unknown>;
  /** Its other settings. */
  agent?: Record<string, unknown>;
  /** The carrier sends DTMF digits as messages. */
  sendsDigits?: boolean;
  synthesizer?: ProviderFactory['synthesizer'];
  /** Methods of the call's parts that take the place of those that do nothing. */
  leg?: Partial<Leg>;
  transcriber?: Partial<Transcriber>;
  health?: Health;
  permits?: ConcurrencyPermits;
  turnDetector?: ProviderFactory['turnDetector'];
  knowledge?: Bus['searchKnowledge'];
  handoff?: Bus['openHandoff'];
  /** The model's reply to a request; "Yes of course." without it. */
  answer?(request: ChatRequest): ModelAnswer;
  /** Voice activity detection of people who take part. */
  participantVad?: Pick<Vad, 'open'>;
  /** Replaces what the call is given. */
  wrap?(given: CallOptions): CallOptions;
  /** Receive the audio for the transcriber and for voice activity detection. */
  onTranscriber?: (mulaw: Uint8Array) => void;
  onVad?: (samples: Int16Array) => void;
}

/**
 * A whole call on the virtual clock without a service: the carrier accepts all audio, the transcriber recognizes nothing, and
 * the bus does not respond.
 */
export function startSingleCall(options: SingleCallOptions = {}) {
  const { session = {}, settings = {}, sendsDigits = true, onTranscriber, onVad } = options;
  const clock = createVirtualClock();
  const hangUps: number[] = [];
  const emitted: { type: string; message: string; more: EventDetails }[] = [];
  let listener: LegListener | null = null;
  let onVadWindow: VadListener = () => {};
  let onTranscriberEvent: TranscriberListener = () => {};
  let tick: (nowMs: number) => void = () => {};
  let ticking = false;
  let carryOut: (order: LiveOrderRequest) => CommandReply = () => ({ done: false, detail: '' });
  const leg: Leg = {
    carrier: 'test',
    format: MULAW_8K,
    callerFormat: MULAW_8K,
    sendsDigits,
    packetMs: 20,
    returnsMarks: false,
    listen: (given) => {
      listener = given;
    },
    tick() {},
    play: () => true,
    flush() {},
    mark() {},
    clear() {},
    hangUp: () => void hangUps.push(clock.now()),
    ...options.leg,
  };
  const transcriber: Transcriber = {
    provider: 'test',
    model: 'test',
    input: MULAW_8K,
    decidesTurns: true,
    open: async () => {},
    audio: (chunk) => onTranscriber?.(chunk),
    finalize() {},
    close: async () => {},
    ...options.transcriber,
  };
  const model = createFakeModel(
    clock,
    100,
    (request) => options.answer?.(request) ?? { text: 'Yes of course.' },
    () => {},
  );
  const providerFactory: Partial<ProviderFactory> = {
    transcriber: (_agent, _input, onEvent) => {
      onTranscriberEvent = onEvent;
      return transcriber;
    },
    turnDetector: options.turnDetector ?? null,
    synthesizer:
      options.synthesizer ?? ((_agent, _line, onEvent) => createFakeSynthesizer(clock, [], {}, onEvent).synthesizer),
    model: ({ llm }) => ({ ...model.model, provider: llm.provider, model: llm.model }),
    ambientSound: () => null,
    denoiser: () => null,
    safeFetch: async () => Promise.reject(new Error('no network')),
  };
  const vad: Pick<Vad, 'open'> = {
    open: (onWindow) => {
      onVadWindow = onWindow;
      return { push: (samples) => onVad?.(samples), dropped: 0, close() {} };
    },
  };
  const agent = agentConfigSchema.parse({ name: 'Test', ...options.agent, call: { record: false, ...settings } });
  const parts = {
    providerFactory: providerFactory as ProviderFactory,
    permits: options.permits ?? unlimitedPermits(),
    health: options.health ?? { unhealthyReason: () => null, onTried() {}, onOutcome() {}, unhealthy: () => [] },
  };
  const given: CallOptions = {
    session: {
      call_id: 'a'.repeat(32),
      workspace_id: 'w',
      agent_id: 'a',
      direction: 'inbound',
      channel: 'phone',
      from_number: '',
      to_number: '',
      agent_json: JSON.stringify(agent),
      user_data_json: '{}',
      max_duration_seconds: 600,
      llm_fallbacks: [],
      ...session,
    },
    leg,
    // Every method of the bus returns a stoppable object.
    bus: new Proxy({} as Bus, {
      get(_bus, name) {
        if (name === 'searchKnowledge' && options.knowledge) return options.knowledge;
        if (name === 'openHandoff' && options.handoff) return options.handoff;
        return (_callId: string, serve?: typeof carryOut) => {
          if (name === 'serveLiveOrders' && serve) carryOut = serve;
          return { stop() {} };
        };
      },
    }),
    reporter: {
      report: (type, message, more = {}) => void emitted.push({ type, message, more }),
      flushed: async () => {},
    },
    vad: vad as Vad,
    ...(options.participantVad && { ofParticipants: { ...parts, vad: options.participantVad as Vad } }),
    ...parts,
    mediaClock: {
      subscribe: (onTick) => {
        tick = onTick;
        ticking = true;
        return () => {
          tick = () => {};
          ticking = false;
        };
      },
      lagCounts: new Uint32Array(0),
      takeMaxLagMs: () => 0,
      stop() {},
    },
    recordings: { open: () => Promise.reject() as never, close: async () => {} },
    clock,
    log: createLogger('test', 'silent'),
  };
  const call = new Call(options.wrap?.(given) ?? given);
  call.start();

  return {
    clock,
    call,
    emitted,
    /** When the leg was told to hang up. */
    hangUps,
    /** Whether the engine's clock still runs the call. */
    isTicking: () => ticking,
    leg: () => listener!,
    vadWindow: (probability: number) => onVadWindow(probability, clock.now(), 0),
    transcriberEvent: (event: TranscriberEvent) => onTranscriberEvent(event),
    tick: () => tick(clock.now()),
    requests: model.requests,
    order: (order: LiveOrderRequest) => carryOut(order),
    digit: (digit: string) => listener!.digit(digit),
    networkStall: (stallMs: number) => listener!.networkStall?.(stallMs),
    carrierError: (reason: string) => listener!.carrierError?.(reason),
    /** Sends this audio of the caller in real (virtual) time. */
    async sendAudio(audio: Int16Array) {
      const frame = new Uint8Array(FRAME_SAMPLES);
      for (let at = 0; at + FRAME_SAMPLES <= audio.length; at += FRAME_SAMPLES) {
        await clock.advance(20);
        encodeMulaw(audio.subarray(at, at + FRAME_SAMPLES), frame);
        listener!.audio(frame, clock.now());
        tick(clock.now());
      }
    },
    async close() {
      call.end({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
      await clock.advance(100);
      await call.over;
    },
  };
}
