import { type AudioFormat, frameBytes, MULAW_8K, PCM_8K, PCM_16K } from '../../audio/format.ts';
import { audioName, invalid, readDigit, readError, readMark } from '../carrier-message-fields.ts';
import type { CarrierMessage, CarrierProtocol } from '../carrier-protocol.ts';
import { asCount, asId, type Fields, parseObject } from '../frame-parser.ts';

/**
 * Asterisk's WebSocket channel (chan_websocket, Asterisk 20.16, 21.11, 22.6, 23 and later). Source: its documentation,
 * "WebSocket channel driver", and channels/chan_websocket.c. Audio is binary, raw, 20 ms a message inwards and whole
 * frames outwards; text is control, as JSON where the dial string says `f(json)` (20.18, 22.8, 23.2 and later) and as
 * plain text otherwise. A stream gets its commands in the syntax of its `MEDIA_START`; as no message names the stream, its id
 * here is that syntax.
 *
 * Asterisk queues what it is sent and asks to pause (`MEDIA_XOFF`) at 18 s of it, which a playout 120 ms ahead never
 * reaches. `FLUSH_MEDIA` drops what was not played and the marks in it, without a reply. Text longer
 * than 128 bytes is ignored. The caller's own channel is another one, which control handles: the stream token names the
 * call.
 */
export const asteriskProtocol: CarrierProtocol = {
  carrier: 'asterisk',
  returnsMarks: true,
  closeMeansHangUp: true,
  sendsDigits: true,
  packetFrames: 1,

  decode(text) {
    if (!text.startsWith('{')) return readEvent(parseLine(text), PLAIN_TEXT);
    const message = parseObject(text);
    return message ? readEvent(message, JSON_TEXT) : invalid('not a JSON object');
  },
  decodeBinary: (payload) =>
    payload.length > 0 ? { type: 'audio', sequence: null, payload } : invalid('an empty binary message'),

  audio: (_streamId, payload) => payload,
  mark: (syntax, name) => command(syntax, 'MARK_MEDIA', name),
  clear: (syntax) => command(syntax, 'FLUSH_MEDIA'),
  hangUp: (syntax) => command(syntax, 'HANGUP'),
};

/** Syntax of commands, used as the stream's id. */
const JSON_TEXT = 'json';
const PLAIN_TEXT = 'lines';

const ALAW_8K: AudioFormat = { encoding: 'alaw', sample_rate: 8000 };
/** By Asterisk's names. */
const FORMATS = new Map<unknown, AudioFormat>([
  ['ulaw', MULAW_8K],
  ['alaw', ALAW_8K],
  ['slin', PCM_8K],
  ['slin16', PCM_16K],
]);

function command(syntax: string, name: string, correlationId?: string): string {
  if (syntax === PLAIN_TEXT) return correlationId === undefined ? name : `${name} ${correlationId}`;
  return JSON.stringify({ command: name, ...(correlationId === undefined ? {} : { correlation_id: correlationId }) });
}

function readEvent(message: Fields, syntax: string): CarrierMessage {
  switch (message.event) {
    case 'MEDIA_START':
      return readStart(message, syntax);
    case 'MEDIA_MARK_PROCESSED':
      return readMark(message.correlation_id, 'a mark');
    case 'DTMF_END':
      return readDigit(message.digit, 'DTMF_END');
    case 'MEDIA_XOFF':
      return { type: 'hold', full: true };
    case 'MEDIA_XON':
      return { type: 'hold', full: false };
    case 'ERROR':
      return readError(message.error_text);
    default:
      return typeof message.event === 'string' && message.event !== '' ? { type: 'ignored' } : invalid('no event');
  }
}

function readStart(message: Fields, syntax: string): CarrierMessage {
  if (!asId(message.connection_id) && !asId(message.channel_id)) return invalid('MEDIA_START without ids');
  const format = FORMATS.get(message.format);
  if (!format) return unsupported(audioName(message.format, null));
  // Asterisk drops the rest of a message after its last whole frame.
  if (asCount(message.optimal_frame_size) !== frameBytes(format))
    return unsupported(`${audioName(message.format, null)} in frames other than 20 ms`);
  return { type: 'start', streamId: syntax, providerCallId: '', format, parameters: {} };
}

const unsupported = (format: string): CarrierMessage => {
  return { type: 'unsupported', providerCallId: '', format, remedy: 'set the codec to ulaw, alaw, slin or slin16' };
};

/** `MEDIA_START connection_id:… format:ulaw …`, `DTMF_END digit:5 …`, `MEDIA_MARK_PROCESSED <name>`, `MEDIA_XOFF`. */
function parseLine(line: string): Fields {
  const space = line.indexOf(' ');
  if (space < 0) return { event: line.trim() };
  const event = line.slice(0, space);
  const rest = line.slice(space + 1);
  if (event === 'MEDIA_MARK_PROCESSED' || event === 'MEDIA_BUFFERING_COMPLETED') return { event, correlation_id: rest };
  if (event === 'ERROR') return { event, error_text: rest };
  const pairs: [string, string][] = [];
  for (const part of rest.split(' ').slice(0, 20)) {
    const colon = part.indexOf(':');
    if (colon > 0) pairs.push([part.slice(0, colon), part.slice(colon + 1)]);
  }
  return { ...Object.fromEntries(pairs), event };
}
