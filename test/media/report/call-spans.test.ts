import { expect, it } from 'vitest';
import { createCallSpans } from '../../../media/report/call-spans.ts';
import { type CallSpan, callSpanId } from '../../../shared/telemetry/spans.ts';

const CALL = '0198c0ffee007000800000000000abcd';

function recorded() {
  const spans: CallSpan[] = [];
  const session = { call_id: CALL, agent_id: 'a1', channel: 'phone', direction: 'inbound' } as const;
  const calls = createCallSpans(session, {
    ...{ startMs: 1_000, carrier: 'twilio', wall: () => 9_000 },
    emit: (span) => spans.push(span),
  });
  const end = () => calls.observe('call.ended', { at_ms: 8_000, data: {} });
  return { spans, calls, end, named: (name: string) => spans.filter((span) => span.name === name) };
}

const ANSWER = {
  ...{ provider: 'google', model: 'gemini', reply_id: 'r1', start_ms: 2_100, end_ms: 2_600, first_token_ms: 2_300 },
  ...{ input_tokens: 10, output_tokens: 4, error: null },
};

it("the turn begins at the true end of the caller's speech and ends with the reply; its stages follow each other", () => {
  const { calls, end, named } = recorded();
  calls.observe('call.started', { at_ms: 1_000, data: { stt: 'deepgram/nova-3', tts: 'cartesia/sonic' } });
  calls.modelAnswered(ANSWER);
  const parts = { end_of_turn_ms: 100, first_token_ms: 200, first_audio_ms: 300 };
  calls.observe('tts.first_audio', { reply_id: 'r1', at_ms: 2_600, latency_ms: 600, data: { parts } });
  calls.observe('agent.reply', { at_ms: 4_000 });
  end();
  const [turn] = named('turn');
  expect(turn).toMatchObject({ start_ms: 2_000, end_ms: 4_000, parent_id: named('media stream')[0]!.span_id });
  expect(named('end_of_turn')[0]).toMatchObject({
    ...{ start_ms: 2_000, end_ms: 2_100, parent_id: turn!.span_id },
    attributes: { 'antiphon.provider.name': 'deepgram' },
  });
  expect(named('first_audio')[0]).toMatchObject({
    ...{ start_ms: 2_300, end_ms: 2_600 },
    attributes: { 'antiphon.provider.name': 'cartesia', 'antiphon.provider.model': 'sonic' },
  });
});

it("a model's answer is a GenAI span of its reply's turn", () => {
  const { calls, end, named } = recorded();
  calls.modelAnswered(ANSWER);
  end();
  expect(named('chat gemini')[0]).toMatchObject({
    parent_id: named('turn')[0]!.span_id,
    kind: 'client',
    attributes: {
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'gemini',
      'gen_ai.response.time_to_first_chunk': 0.2,
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 4,
    },
  });
});

it('a tool is a span of the turn that called it, without arguments and result', () => {
  const { calls, end, named } = recorded();
  calls.modelAnswered(ANSWER);
  const data = { name: 'book', status: 500, result: 'secret' };
  calls.observe('tool.result', { at_ms: 3_000, latency_ms: 250, level: 'warning', data });
  end();
  expect(named('execute_tool book')[0]).toMatchObject({
    ...{ start_ms: 2_750, end_ms: 3_000, parent_id: named('turn')[0]!.span_id, error_type: '500' },
  });
  expect(JSON.stringify(named('execute_tool book'))).not.toContain('secret');
});

it("the stream belongs to the call's own span, whose id is derived from the call's", () => {
  const { end, named } = recorded();
  end();
  expect(named('media stream')[0]).toMatchObject({
    ...{ call_id: CALL, parent_id: callSpanId(CALL), start_ms: 1_000, end_ms: 8_000 },
  });
  expect(callSpanId(CALL)).toBe('800000000000abcd');
});
