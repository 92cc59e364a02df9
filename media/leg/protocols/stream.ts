import {
  type FromStreamClient,
  fromStreamClient,
  STREAM_PROVIDER,
  STREAM_SAMPLE_RATES,
  type ToStreamClient,
} from '../../../shared/stream-messages.ts';
import { type AudioFormat, bytesPerSample } from '../../audio/format.ts';
import { audioName, invalid } from '../carrier-message-fields.ts';
import type { CarrierMessage, CarrierProtocol } from '../carrier-protocol.ts';
import { asDigit, parseObject } from '../frame-parser.ts';

/**
 * The stream of an API client's own telephony or device, as `docs/stream.md` describes it. Audio is binary in both directions, in
 * messages of any length up to a second; text is `shared/stream-messages.ts`. Closing the socket properly hangs up; a connection
 * that broke may come back. No message names the stream: its id is empty.
 */
export const streamProtocol: CarrierProtocol = {
  carrier: STREAM_PROVIDER,
  returnsMarks: true,
  closeMeansHangUp: true,
  sendsDigits: true,
  packetFrames: 1,

  decode(text) {
    const message = parseObject(text);
    if (!message) return invalid('not a JSON object');
    const read = fromStreamClient.safeParse(message);
    if (read.success) return meaningOf(read.data);
    const issue = read.error.issues[0];
    return invalid(`${issue?.path.join('.') || 'the message'}: ${issue?.message ?? 'invalid'}`.slice(0, 200));
  },

  decodeBinary(payload, format) {
    const secondBytes = format.sample_rate * bytesPerSample(format);
    if (payload.length === 0 || payload.length % bytesPerSample(format) !== 0 || payload.length > secondBytes) {
      return invalid(`${payload.length} bytes of audio: send whole samples, at most a second of them`);
    }
    return { type: 'audio', sequence: null, payload };
  },

  // The payload is the message; the socket copies what it sends.
  audio: (_streamId, payload) => payload,
  mark: (_streamId, name) => encode({ type: 'mark', name }),
  clear: () => '{"type":"clear"}',
  started: () => encode({ type: 'started' }),
  transcript: (line) => encode({ type: 'transcript', ...line }),
  toolCall: ({ id, name, arguments: args, timeoutMs }) =>
    encode({ type: 'tool_call', tool_call_id: id, name, arguments: args, timeout_ms: Math.round(timeoutMs) }),
  error: (reason) => encode({ type: 'error', message: reason }),
  ended: (reason) => encode({ type: 'ended', reason }),
};

const encode = (message: ToStreamClient): string => JSON.stringify(message);

const FORMATS: readonly AudioFormat[] = Object.entries(STREAM_SAMPLE_RATES).flatMap(([encoding, rates]) =>
  rates.map((sample_rate) => ({ encoding: encoding as keyof typeof STREAM_SAMPLE_RATES, sample_rate })),
);

const REMEDY = `choose ${FORMATS.map(({ encoding, sample_rate }) => `${encoding} at ${sample_rate}`).join(', ')}`;

function meaningOf(message: FromStreamClient): CarrierMessage {
  switch (message.type) {
    case 'start': {
      const { encoding, sample_rate } = message.audio;
      const format = FORMATS.find((each) => each.encoding === encoding && each.sample_rate === sample_rate);
      if (!format) {
        return { type: 'unsupported', providerCallId: '', format: audioName(encoding, sample_rate), remedy: REMEDY };
      }
      const { marks: returnsMarks, transcripts, tools } = message;
      const stream = { streamId: '', providerCallId: '', parameters: {} };
      return { type: 'start', ...stream, format, returnsMarks, transcripts, tools };
    }
    case 'mark':
      return { type: 'mark', name: message.name };
    case 'digit':
      return { type: 'digit', digit: asDigit(message.digit)! };
    case 'tool_result': {
      const { tool_call_id: id, result, failed } = message;
      return { type: 'tool_result', result: { id, result, failed } };
    }
    case 'hang_up':
      return { type: 'stop' };
  }
}
