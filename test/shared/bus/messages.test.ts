import { describe, expect, it, test } from 'vitest';
import {
  bookCallbackReplyCodec,
  bookCallbackRequestCodec,
  type CallEvent,
  type Codec,
  callEventCodec,
  commandReplyCodec,
  hangUpCommandCodec,
  heartbeatCodec,
  openSessionReplyCodec,
  openSessionRequestCodec,
  type Session,
  searchKnowledgeReplyCodec,
  searchKnowledgeRequestCodec,
  startTransferReplyCodec,
  startTransferRequestCodec,
  transferOutcomeCodec,
} from '../../../shared/bus/messages.ts';
import { TRANSFER_STATUSES } from '../../../shared/transfer.ts';

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

const session: Session = {
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
};

const roundTrip = <Message>(codec: Codec<Message>, message: Message) => codec.decode(codec.encode(message));
function expectRoundTrip<Message>(codec: Codec<Message>, message: Message): void {
  expect(roundTrip(codec, message)).toEqual(message);
}

describe('a decoded message equals the encoded one', () => {
  it('an event', () => {
    expectRoundTrip(callEventCodec, event);
  });

  it('an event of empty values, where absent stays absent', () => {
    const { latency_ms, ending, ...plain } = event;
    const empty: CallEvent = { ...plain, seq: 0, at_ms: 0, message: '', data_json: '', transcript: [] };
    const back = roundTrip(callEventCodec, empty);
    expect(back).toEqual(empty);
    expect(back.latency_ms).toBeUndefined();
    expect(back.ending).toBeUndefined();
  });

  it('a session', () => {
    expectRoundTrip(openSessionReplyCodec, { refused: '', session });
    expectRoundTrip(openSessionReplyCodec, { refused: 'used token' });
  });

  it('requests, commands and heartbeats', () => {
    const request = { call_id: 'c', nonce: 'n', engine_id: 'e', carrier: 'twilio', provider_call_id: '' };
    expectRoundTrip(openSessionRequestCodec, request);
    expectRoundTrip(hangUpCommandCodec, { call_id: 'c', hangup_by: 'member', hangup_reason: 'hung up by Asha' });
    expectRoundTrip(commandReplyCodec, { done: false, detail: '' });
    for (const call_ids of [[], ['a', 'b']]) {
      const heartbeat = { engine_id: 'e', at_ms: 5, call_ids };
      expectRoundTrip(heartbeatCodec, heartbeat);
      // A headroom of 0 differs from an absent one, which is unlimited.
      for (const headroom of [0, 12]) expectRoundTrip(heartbeatCodec, { ...heartbeat, headroom });
    }
  });

  it('a knowledge search and its reply', () => {
    const request = { call_id: 'c', query: 'कमरे का किराया?', limit: 4, within_ms: 400 };
    expectRoundTrip(searchKnowledgeRequestCodec, request);
    const passage = { source: 'किराया', text: 'तीन हज़ार', score: 0.725, keyword_match: true };
    const bare = { source: '', text: '', score: 0, keyword_match: false };
    for (const passages of [[], [passage, bare]]) {
      expectRoundTrip(searchKnowledgeReplyCodec, { error: '', passages, hits: 9, embed_ms: 12.5, search_ms: 3 });
    }
  });

  it('a session with knowledge in the prompt, with knowledge that is searched, and without any', () => {
    for (const knowledge of [
      { text: 'Open at nine.', search: false },
      { text: '', search: true },
    ]) {
      const back = roundTrip(openSessionReplyCodec, { refused: '', session: { ...session, knowledge } });
      expect(back.session?.knowledge).toEqual(knowledge);
    }
    expect(roundTrip(openSessionReplyCodec, { refused: '', session }).session?.knowledge).toBeUndefined();
  });

  it('a transfer request, its reply and its outcome', () => {
    expectRoundTrip(startTransferRequestCodec, {
      call_id: 'c',
      transfer_id: 't',
      name: 'Sales',
      number: '+919800011111',
      reason: '',
      warm: false,
      summary: 'एक कॉलर',
      language: 'hi',
    });
    expectRoundTrip(startTransferReplyCodec, { accepted: false, message: 'no' });
    for (const status of TRANSFER_STATUSES) {
      expectRoundTrip(transferOutcomeCodec, { call_id: 'c', transfer_id: 't', status, dial_status: '' });
    }
  });

  it('a callback request and its reply', () => {
    expectRoundTrip(bookCallbackRequestCodec, { call_id: 'c', when: '2026-11-24T10:00', note: 'कीमत' });
    expectRoundTrip(bookCallbackReplyCodec, { booked: true, message: 'Tuesday' });
    expectRoundTrip(bookCallbackReplyCodec, { booked: false, message: 'that time has passed' });
  });
});

test('bytes that are no message are rejected', () => {
  expect(() => callEventCodec.decode(Buffer.from('{"call_id":"c"}'))).toThrow();
  expect(() => callEventCodec.decode(callEventCodec.encode(event).subarray(0, 9))).toThrow();
});
