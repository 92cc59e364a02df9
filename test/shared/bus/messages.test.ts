import { describe, expect, it } from 'vitest';
import {
  type CallEvent,
  callEventCodec,
  commandReplyCodec,
  hangUpCommandCodec,
  heartbeatCodec,
  type OpenSessionReply,
  openSessionReplyCodec,
  openSessionRequestCodec,
} from '../../../shared/bus/messages.ts';

const event: CallEvent = {
  call_id: 'c',
  seq: 7,
  engine_id: 'e',
  at_ms: 1_767_594_600_123,
  type: 'user.turn',
  level: 'info',
  message: 'नमस्ते',
  latency_ms: 0,
  data_json: '{"a":1}',
  transcript: [{ role: 'user', text: 'नमस्ते', at_ms: 1_767_594_600_000.5, interrupted: false }],
  ending: {
    hangup_by: 'caller',
    hangup_reason: 'caller hung up',
    duration_seconds: 12.5,
    avg_first_audio_ms: 0,
    recorded: true,
  },
};

describe('a message of the bus comes back as it was', () => {
  it('an event', () => {
    expect(callEventCodec.decode(callEventCodec.encode(event))).toEqual(event);
  });

  it('an event of empty values, where absent stays absent', () => {
    const { latency_ms, ending, ...plain } = event;
    const empty: CallEvent = { ...plain, seq: 0, at_ms: 0, message: '', data_json: '', transcript: [] };
    const back = callEventCodec.decode(callEventCodec.encode(empty));
    expect(back).toEqual(empty);
    expect(back.latency_ms).toBeUndefined();
    expect(back.ending).toBeUndefined();
  });

  it('a session', () => {
    const reply: OpenSessionReply = {
      refused: '',
      session: {
        call_id: 'c',
        workspace_id: 'w',
        agent_id: 'a',
        direction: 'inbound',
        channel: 'phone',
        from_number: '',
        to_number: '+14155550123',
        agent_json: '{}',
        user_data_json: '{}',
        max_duration_seconds: 600,
        llm_fallbacks: [],
      },
    };
    expect(openSessionReplyCodec.decode(openSessionReplyCodec.encode(reply))).toEqual(reply);
    const refused = { refused: 'used token' };
    expect(openSessionReplyCodec.decode(openSessionReplyCodec.encode(refused))).toEqual(refused);
  });

  it('questions, orders and heartbeats', () => {
    const question = { call_id: 'c', nonce: 'n', engine_id: 'e', carrier: 'twilio', provider_call_id: '' };
    expect(openSessionRequestCodec.decode(openSessionRequestCodec.encode(question))).toEqual(question);
    const order = { call_id: 'c', hangup_by: 'member', hangup_reason: 'hung up by Asha' } as const;
    expect(hangUpCommandCodec.decode(hangUpCommandCodec.encode(order))).toEqual(order);
    const reply = { done: false, detail: '' };
    expect(commandReplyCodec.decode(commandReplyCodec.encode(reply))).toEqual(reply);
    for (const call_ids of [[], ['a', 'b']]) {
      const heartbeat = { engine_id: 'e', at_ms: 5, call_ids };
      expect(heartbeatCodec.decode(heartbeatCodec.encode(heartbeat))).toEqual(heartbeat);
      // No room is another thing than not to say.
      for (const room of [0, 12]) {
        const told = { ...heartbeat, room };
        expect(heartbeatCodec.decode(heartbeatCodec.encode(told))).toEqual(told);
      }
    }
  });
});

it('what is no message is refused', () => {
  expect(() => callEventCodec.decode(Buffer.from('{"call_id":"c"}'))).toThrow();
  expect(() => callEventCodec.decode(callEventCodec.encode(event).subarray(0, 9))).toThrow();
});
