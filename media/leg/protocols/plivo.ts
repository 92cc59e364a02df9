import { type AudioFormat, MULAW_8K, PCM_8K, PCM_16K, sameFormat } from '../../audio/format.ts';
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
 * Plivo Audio Streaming, bidirectional (`<Stream bidirectional="true" keepCallAlive="true">`). Source: Plivo's
 * documentation, "Audio Streaming", and its stream SDK. All text; counters are numbers; there is no opening and no
 * closing message: the first message is `start`, and the socket closes when the call is over. With `keepCallAlive` the call
 * lasts as long as the stream, so closing the socket from here ends the call when nothing follows in the document.
 * A `checkpoint` comes back as `playedStream` only when the audio before it was played; `clearAudio` drops those that
 * are outstanding and is acknowledged with `clearedAudio`.
 */
export const plivoProtocol: CarrierProtocol = {
  carrier: 'plivo',
  returnsMarks: true,
  closeMeansHangUp: true,
  sendsDigits: true,
  packetFrames: 1,

  decode(text, streamId) {
    const message = parseObject(text);
    if (!message) return invalid('not a JSON object');
    if (isForeign(message.streamId, streamId)) return FOREIGN;
    switch (message.event) {
      case 'media':
        return readSequencedAudio(asObject(message.media), TRACKS);
      // A support article of Plivo's names it `played`.
      case 'playedStream':
      case 'played':
        return readMark(asName(message.name) ?? asObject(message[message.event])?.name, 'playedStream');
      case 'dtmf':
        return readDigit(asObject(message.dtmf)?.digit);
      case 'start':
        return readStart(message);
      // Undocumented, but known to Plivo's own libraries.
      case 'stop':
        return { type: 'stop' };
      // So are these.
      case 'playFailed':
      case 'error':
        return readError(`${message.event}: ${asText(message.reason) ?? 'no reason given'}`);
      default:
        return typeof message.event === 'string' ? { type: 'ignored' } : invalid('no event');
    }
  },

  audio: (_streamId, payload, format) => `${AUDIO_HEADS[headIndex(format)]}${base64(payload)}"}}`,
  mark: (streamId, name) => JSON.stringify({ event: 'checkpoint', streamId, name }),
  clear: (streamId) => `{"event":"clearAudio","streamId":"${streamId}"}`,
  pressKeys: (_streamId, digits) => JSON.stringify({ event: 'sendDTMF', dtmf: digits }),
};

const TRACKS = ['inbound'];

/** Control's response to the carrier requests the first or the last one. */
const FORMATS = [MULAW_8K, PCM_8K, PCM_16K];

/** `playAudio` repeats the stream's format in every message. */
const AUDIO_HEADS = FORMATS.map(
  (format) =>
    `{"event":"playAudio","media":{"contentType":"audio/x-${format.encoding === 'mulaw' ? 'mulaw' : 'l16'}",` +
    `"sampleRate":${format.sample_rate},"payload":"`,
);

function headIndex(format: AudioFormat): number {
  // Fifty times a second per call: µ-law is nearly all of them.
  return format.encoding === 'mulaw' ? 0 : FORMATS.findIndex((each) => sameFormat(each, format));
}

function readStart(message: Fields): CarrierMessage {
  const start = asObject(message.start);
  const streamId = asId(start?.streamId) ?? asId(message.streamId);
  const providerCallId = asId(start?.callId);
  if (!streamId || !providerCallId) return invalid('start without ids');
  const given = asObject(start?.mediaFormat);
  const format = readFormat(given);
  if (!format) {
    const remedy = 'set contentType to audio/x-mulaw;rate=8000';
    return { type: 'unsupported', providerCallId, format: audioName(given?.encoding, given?.sampleRate), remedy };
  }
  const parameters = readExtraHeaders(message.extra_headers ?? start?.extra_headers);
  return { type: 'start', streamId, providerCallId, format, parameters };
}

function readFormat(given: Fields | null): AudioFormat | undefined {
  if (typeof given?.encoding !== 'string') return undefined;
  const [type, rate] = given.encoding.split(';rate=') as [string, string?];
  const encoding = type === 'audio/x-mulaw' ? 'mulaw' : type === 'audio/x-l16' ? 'pcm16' : null;
  const sampleRate = asCount(given.sampleRate ?? rate);
  return FORMATS.find((format) => format.encoding === encoding && format.sample_rate === sampleRate);
}

/** Accepts the forms seen: `a=b;c=d`, `a=b,c=d`, JSON text, and an object; Plivo allows 512 bytes. */
function readExtraHeaders(value: unknown): Record<string, string> {
  if (typeof value !== 'string') return asParameters(asObject(value));
  const text = value.trim();
  if (text.length > 4096) return {};
  if (text.startsWith('{')) return asParameters(parseObject(text));
  const pairs: [string, string][] = [];
  for (const part of text.split(/[;,]/)) {
    const equals = part.indexOf('=');
    if (equals > 0) pairs.push([part.slice(0, equals).trim(), part.slice(equals + 1).trim()]);
  }
  return Object.fromEntries(pairs);
}
