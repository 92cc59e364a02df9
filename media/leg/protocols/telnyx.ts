import { type AudioFormat, MULAW_8K, PCM_16K } from '../../audio/format.ts';
import {
  audioName,
  FOREIGN,
  invalid,
  isForeign,
  readDigit,
  readError,
  readMark,
  readSequencedAudio,
} from '../carrier-message-fields.ts';
import type { CarrierMessage, CarrierProtocol } from '../carrier-protocol.ts';
import {
  asCount,
  asId,
  asName,
  asObject,
  asParameters,
  asText,
  base64,
  type Fields,
  parseObject,
} from '../frame-parser.ts';

/**
 * Telnyx media streaming in the mode `rtp`. Source: Telnyx's documentation, "Stream call media over WebSocket". All text;
 * counters come as strings. The caller's audio has the codec of the telephone leg where Telnyx cannot transcode it (PCMA
 * in Europe and India), the agent's the requested one, which no message names: µ-law, or L16 at 16 kHz where the stream's address
 * says so. L16 is taken as little endian, as other clients do; Telnyx documents no order. Frames may come out of order. A `mark`
 * comes back when what was queued before it has played, and at once on a `clear`. `connected` may come long before
 * `start`, which waits for the answer; the call outlives its stream, so closing the socket ends no call.
 */
export const telnyxProtocol: CarrierProtocol = {
  carrier: 'telnyx',
  returnsMarks: true,
  closeMeansHangUp: false,
  sendsDigits: true,
  packetFrames: 1,
  widebandAgentFormat: PCM_16K,

  decode(text, streamId) {
    const message = parseObject(text);
    if (!message) return invalid('not a JSON object');
    if (isForeign(message.stream_id, streamId)) return FOREIGN;
    switch (message.event) {
      case 'media':
        return readSequencedAudio(asObject(message.media));
      case 'mark':
        return readMark(asObject(message.mark)?.name);
      case 'dtmf':
        return readDigit(asObject(message.dtmf)?.digit);
      case 'start':
        return readStart(message);
      case 'stop':
        return { type: 'stop' };
      case 'error':
        return readError(errorText(asObject(message.payload)));
      default:
        return typeof message.event === 'string' ? { type: 'ignored' } : invalid('no event');
    }
  },

  audio: (_streamId, payload) => `{"event":"media","media":{"payload":"${base64(payload)}"}}`,
  mark: (_streamId, name) => JSON.stringify({ event: 'mark', mark: { name } }),
  clear: () => '{"event":"clear"}',
};

const FORMATS = new Map<unknown, AudioFormat>([
  ['PCMU', MULAW_8K],
  ['PCMA', { encoding: 'alaw', sample_rate: 8000 }],
  ['L16', PCM_16K],
]);

/** The stream is asked for in PCMU or L16: another codec is the line's own, which Telnyx does not transcode. */
const REMEDY = "set the connection's codecs to G711U and G711A";

function readStart(message: Fields): CarrierMessage {
  const start = asObject(message.start);
  const streamId = asId(message.stream_id);
  const providerCallId = asId(start?.call_control_id);
  if (!streamId || !providerCallId) return invalid('start without ids');
  const given = asObject(start?.media_format);
  const format = FORMATS.get(given?.encoding);
  if (!format || asCount(given?.sample_rate) !== format.sample_rate || (asCount(given?.channels) ?? 1) !== 1) {
    const name = audioName(given?.encoding, given?.sample_rate, given?.channels);
    return { type: 'unsupported', providerCallId, format: name, remedy: REMEDY };
  }
  return {
    type: 'start',
    streamId,
    providerCallId,
    format,
    agentFormat: MULAW_8K,
    parameters: readParameters(start?.custom_parameters),
  };
}

/** Accepts both forms seen: an object, and a list of names and values. */
function readParameters(value: unknown): Record<string, string> {
  if (!Array.isArray(value)) return asParameters(asObject(value));
  const pairs = value.slice(0, 100).flatMap((item): [string, unknown][] => {
    const name = asName(asObject(item)?.name);
    return name === null ? [] : [[name, asObject(item)?.value]];
  });
  return asParameters(Object.fromEntries(pairs));
}

/** Of an error in what this side sent: `malformed_frame`, `invalid_media`, …, or its number, with the detail. */
function errorText(payload: Fields | null): string | null {
  const name = asText(payload?.title) ?? asCount(payload?.code);
  const texts = [name, asText(payload?.detail)].filter((text) => text !== null);
  return texts.length > 0 ? texts.join(': ') : null;
}
