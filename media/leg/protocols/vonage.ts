import { type AudioFormat, frameBytes, PCM_8K, PCM_16K } from '../../audio/format.ts';
import { audioName, invalid, readDigit } from '../carrier-message-fields.ts';
import type { CarrierMessage, CarrierProtocol } from '../carrier-protocol.ts';
import { asId, asName, asObject, asParameters, type Fields, parseObject } from '../frame-parser.ts';

/**
 * Vonage Voice API WebSockets. Source: Vonage's documentation, "WebSockets in the Voice API". Audio is binary, 20 ms a
 * message in both directions, linear 16 bit at 8 or 16 kHz, as control's response asks; all other messages are text. The first message is `websocket:connected`, with the
 * `headers` of control's response as members of its own: they name the call. `notify` comes back when what was queued before
 * it has played. Whether outstanding ones come back on a `clear` is not documented: neither confirms playback. There is no
 * closing message: the socket closes when the call is over, and closing it from here ends a call whose `connect` is the last action.
 */
export const vonageProtocol: CarrierProtocol = {
  carrier: 'vonage',
  returnsMarks: true,
  closeMeansHangUp: true,
  sendsDigits: true,
  packetFrames: 1,

  decode(text) {
    const message = parseObject(text);
    if (!message) return invalid('not a JSON object');
    switch (message.event) {
      case 'websocket:notify': {
        const name = asName(asObject(message.payload)?.mark);
        // Other notifications have no mark.
        return name === null ? { type: 'ignored' } : { type: 'mark', name };
      }
      case 'websocket:dtmf':
        return readDigit(message.digit ?? asObject(message.dtmf)?.digit);
      case 'websocket:connected':
        return readStart(message);
      default:
        return typeof message.event === 'string' ? { type: 'ignored' } : invalid('no event');
    }
  },

  decodeBinary(bytes, format) {
    if (bytes.length !== frameBytes(format)) return invalid(`a frame of ${bytes.length} bytes`);
    return { type: 'audio', sequence: null, payload: bytes };
  },

  // The payload is the message; the socket copies what it sends.
  audio: (_streamId, payload) => payload,
  mark: (_streamId, name) => JSON.stringify({ action: 'notify', payload: { mark: name } }),
  clear: () => '{"action":"clear"}',
};

const FORMATS = new Map<string, AudioFormat>([
  ['8000', PCM_8K],
  ['16000', PCM_16K],
]);

function readStart(message: Fields): CarrierMessage {
  const { event: _event, 'content-type': contentType, call_uuid, ...given } = message;
  const providerCallId = asId(call_uuid);
  if (!providerCallId) return invalid('connected without the id of its call');
  const rate = typeof contentType === 'string' ? /^audio\/l16;\s*rate=(\d+)$/i.exec(contentType)?.[1] : undefined;
  const format = FORMATS.get(rate ?? '');
  if (!format) {
    const remedy = 'set content-type to audio/l16;rate=8000 or 16000';
    return { type: 'unsupported', providerCallId, format: audioName(contentType, null), remedy };
  }
  return {
    type: 'start',
    // The stream has no id of its own.
    streamId: providerCallId,
    providerCallId,
    format,
    parameters: asParameters(given),
  };
}
