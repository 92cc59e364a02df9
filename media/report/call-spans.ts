import type { Session } from '../../shared/bus/messages.ts';
import type { EventType } from '../../shared/events.ts';
import { type CallSpan, callSpanId, type EmitSpan, newSpanId } from '../../shared/telemetry/spans.ts';
import type { EventDetails } from './reporter.ts';

/** One request to a language model. Times are milliseconds since 1970. */
export interface ModelAnswer {
  provider: string;
  model: string;
  /** Empty where it is for no reply. */
  reply_id: string;
  start_ms: number;
  end_ms: number;
  /** Null when there was none. */
  first_token_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  /** The kind of its failure, `cancelled`, or null. */
  error: string | null;
}

/** The spans of a call's stream, made out of its events when they are reported: nothing runs in between. */
export interface CallSpans {
  observe(type: EventType, details: EventDetails): void;
  modelAnswered(answer: ModelAnswer): void;
}

type Attributes = CallSpan['attributes'];

interface Turn {
  spanId: string;
  startMs: number;
  endMs: number;
  attributes: Attributes;
}

/** Of the parts of `tts.first_audio`, who does them. */
const STAGE_PROVIDERS: Record<string, 'stt' | 'tts'> = { end_of_turn: 'stt', first_audio: 'tts' };
const SPEECH_COMPONENTS: Record<string, 'stt' | 'tts'> = { stt: 'stt', transcriber: 'stt', tts: 'tts', voice: 'tts' };
/** Names of providers in the GenAI conventions; the others have their own. */
const GEN_AI_PROVIDERS: Record<string, string> = {
  google: 'gcp.gemini',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
};

/** @param startMs when the stream came. */
export function createCallSpans(
  session: Pick<Session, 'call_id' | 'agent_id' | 'channel' | 'direction'>,
  { startMs, carrier, wall, emit }: { startMs: number; carrier: string; wall: () => number; emit: EmitSpan },
): CallSpans {
  const { call_id } = session;
  const streamId = newSpanId();
  const conversation = { 'gen_ai.conversation.id': call_id, 'gen_ai.agent.id': session.agent_id };
  const speech = { stt: { provider: '', model: '' }, tts: { provider: '', model: '' } };
  const turns = new Map<string, Turn>();
  let number = 0;
  let lastReply = '';
  let audibleReply = '';

  function span(span: Omit<CallSpan, 'call_id' | 'span_id' | 'kind'> & Partial<CallSpan>): void {
    emit({ call_id, span_id: newSpanId(), kind: 'internal', ...span });
  }

  function turnOf(replyId: string, startMs: number): Turn {
    const known = turns.get(replyId);
    if (known) return known;
    const attributes = { 'antiphon.reply.id': replyId, 'antiphon.reply.audible': false };
    const turn: Turn = { spanId: newSpanId(), startMs, endMs: startMs, attributes };
    turns.set(replyId, turn);
    return turn;
  }

  /** Turns before this reply's are over. */
  function closeTurns(before = ''): void {
    for (const [replyId, { spanId, startMs, endMs, attributes }] of turns) {
      if (replyId === before) continue;
      turns.delete(replyId);
      span({
        ...{ span_id: spanId, parent_id: streamId, name: 'turn', start_ms: startMs, end_ms: endMs },
        attributes: { ...conversation, ...attributes, 'antiphon.turn.number': ++number },
      });
    }
  }

  function firstAudio({ reply_id = '', latency_ms = 0, data = {} }: EventDetails, atMs: number): void {
    closeTurns(reply_id);
    const turn = turnOf(reply_id, atMs - latency_ms);
    audibleReply = reply_id;
    turn.startMs = Math.min(turn.startMs, atMs - latency_ms);
    turn.endMs = Math.max(turn.endMs, atMs);
    turn.attributes['antiphon.reply.audible'] = true;
    turn.attributes['antiphon.turn.latency_ms'] = Math.round(latency_ms);
    if (data.welcome) turn.attributes['antiphon.reply.welcome'] = true;
    let start_ms = atMs - latency_ms;
    for (const [part, ms] of Object.entries((data.parts ?? {}) as Record<string, number>)) {
      const name = part.replace(/_ms$/, '');
      const component = STAGE_PROVIDERS[name];
      const { provider, model } = speech[component ?? 'stt'];
      const attributes: Attributes = component
        ? { 'antiphon.provider.name': provider, 'antiphon.provider.model': model }
        : {};
      span({ parent_id: turn.spanId, name, start_ms, end_ms: start_ms + ms, attributes });
      start_ms += ms;
    }
  }

  function toolAnswered({ latency_ms = 0, data = {}, level }: EventDetails, atMs: number): void {
    const name = String(data.name ?? '');
    const turn = turns.get(lastReply);
    if (turn) turn.endMs = Math.max(turn.endMs, atMs);
    span({
      ...{ parent_id: turn?.spanId ?? streamId, name: `execute_tool ${name}` },
      ...{ start_ms: atMs - latency_ms, end_ms: atMs },
      attributes: {
        ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.type': 'function' },
        ...conversation,
      },
      ...(level === 'warning' && { error_type: String(data.status || 'no answer') }),
    });
  }

  function ended({ data = {}, ending }: EventDetails, atMs: number): void {
    closeTurns();
    const usage = (data.usage ?? {}) as Record<string, number>;
    const reason = ending?.hangup_reason ?? '';
    span({
      ...{ span_id: streamId, parent_id: callSpanId(call_id), name: 'media stream', kind: 'server' },
      ...{ start_ms: startMs, end_ms: atMs },
      attributes: {
        ...conversation,
        'antiphon.carrier': carrier,
        'antiphon.channel': session.channel,
        'antiphon.direction': session.direction,
        'antiphon.hangup_by': ending?.hangup_by ?? '',
        'antiphon.usage.stt_seconds': usage.stt_seconds ?? 0,
        'antiphon.usage.tts_characters': usage.tts_characters ?? 0,
        'gen_ai.usage.input_tokens': usage.llm_input_tokens ?? 0,
        'gen_ai.usage.output_tokens': usage.llm_output_tokens ?? 0,
      },
      ...(reason.startsWith('error: ') && { error_type: reason.slice('error: '.length) }),
    });
  }

  return {
    observe(type, details) {
      const atMs = details.at_ms ?? wall();
      const { data = {} } = details;
      if (type === 'call.started') {
        speech.stt = providerModel(data.stt);
        speech.tts = providerModel(data.tts);
      }
      if (type === 'fallback.used' || type === 'capacity.fallback') {
        const component = SPEECH_COMPONENTS[String(data.component)];
        const { provider = '', model = '' } = (data.to ?? {}) as { provider?: string; model?: string };
        if (component) speech[component] = { provider, model };
      }
      if (type === 'tts.first_audio') firstAudio(details, atMs);
      if (type === 'agent.reply' || type === 'interrupted') {
        const turn = turns.get(audibleReply);
        if (turn) turn.endMs = Math.max(turn.endMs, atMs);
        if (turn && type === 'interrupted') turn.attributes['antiphon.reply.interrupted'] = true;
      }
      if (type === 'tool.result') toolAnswered(details, atMs);
      if (type === 'call.ended') ended(details, atMs);
    },
    modelAnswered({ provider, model, reply_id, start_ms, end_ms, first_token_ms, input_tokens, output_tokens, error }) {
      const turn = reply_id === '' ? null : turnOf(reply_id, start_ms);
      if (turn) turn.endMs = Math.max(turn.endMs, end_ms);
      if (turn) lastReply = reply_id;
      span({
        ...{ parent_id: turn?.spanId ?? streamId, name: `chat ${model}`, kind: 'client', start_ms, end_ms },
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': GEN_AI_PROVIDERS[provider] ?? provider,
          'gen_ai.request.model': model,
          ...conversation,
          ...(first_token_ms !== null && {
            'gen_ai.response.time_to_first_chunk': Math.max(0, first_token_ms - start_ms) / 1_000,
          }),
          ...(input_tokens !== null && { 'gen_ai.usage.input_tokens': input_tokens }),
          ...(output_tokens !== null && { 'gen_ai.usage.output_tokens': output_tokens }),
        },
        ...(error !== null && { error_type: error }),
      });
    },
  };
}

function providerModel(text: unknown): { provider: string; model: string } {
  const [provider = '', ...model] = String(text ?? '').split('/');
  return { provider, model: model.join('/') };
}
