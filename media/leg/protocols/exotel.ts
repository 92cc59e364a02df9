import { type AudioFormat, PCM_8K } from '../../audio/format.ts';
import { audioName, FOREIGN, invalid, isForeign, readDigit, readMark } from '../carrier-message-fields.ts';
import type { CarrierMessage, CarrierProtocol } from '../carrier-protocol.ts';
import { asAudio, asCount, asId, asObject, asParameters, base64, type Fields, parseObject } from '../frame-parser.ts';

const BYTES_PER_MS = 16;
/** Of 20 ms each: 3,200 bytes; see below. */
const PACKET_FRAMES = 10;

/**
 * Exotel AgentStream, bidirectional (Voicebot applet, or `StreamType=bidirectional` of a placed call). Source: Exotel's
 * documentation, "AgentStream: WebSocket protocol" and "Working with the Stream and Voicebot Applet", and its
 * repository exotel/Agent-Stream. All text, counters are strings, audio is signed 16 bit little-endian at 8 kHz both
 * ways, about 100 ms a message inwards. The documentation writes names in snake_case, Exotel's samples in camelCase: both
 * are read, both are sent.
 *
 * Outwards a message holds a multiple of 320 bytes, at most 100 kB and "at least 3.2 kB, 100 ms of data" against jitter. The two
 * agree at 16 kHz only; at 8 kHz 3,200 bytes are 200 ms, which Exotel's notes on latency call its least message (exotel/Agent-Stream,
 * docs/exotel-developer/LATENCY_NOTES.md), although another of its samples sends 100 ms. So it is 3,200 bytes, and the setting
 * EXOTEL_CHUNK_BYTES says otherwise. It is not documented whether marks come back on a clear; neither would confirm playback.
 *
 * Closing the socket ends a placed call and lets the applet's flow go on to its hang-up. The carrier sends `stop` before
 * it closes, and reopens a stream that broke.
 */
export const exotelProtocol: CarrierProtocol = {
  carrier: 'exotel',
  returnsMarks: true,
  closeMeansHangUp: false,
  sendsDigits: true,
  packetFrames: PACKET_FRAMES,

  decode(text, streamId) {
    const message = parseObject(text);
    if (!message) return invalid('not a JSON object');
    if (isForeign(message.stream_sid ?? message.streamSid, streamId)) return FOREIGN;
    switch (message.event) {
      case 'media':
        return readMedia(asObject(message.media));
      case 'mark':
        return readMark(asObject(message.mark)?.name);
      case 'dtmf':
        return readDigit(asObject(message.dtmf)?.digit);
      case 'start':
        return readStart(message);
      case 'stop':
        return { type: 'stop' };
      default:
        return typeof message.event === 'string' ? { type: 'ignored' } : invalid('no event');
    }
  },

  // Some streams of placed calls end early when these numbers are missing.
  audio: (streamId, payload, _format, number) =>
    `{"event":"media",${streamIdFields(streamId)},"sequence_number":"${number}","sequenceNumber":"${number}",` +
    `"media":{"chunk":"${number}","timestamp":"${((number - 1) * payload.length) / BYTES_PER_MS}","payload":"${base64(payload)}"}}`,
  mark: (streamId, name) => `{"event":"mark",${streamIdFields(streamId)},"mark":{"name":${JSON.stringify(name)}}}`,
  clear: (streamId) => `{"event":"clear",${streamIdFields(streamId)}}`,
};

const streamIdFields = (streamId: string) => `"stream_sid":"${streamId}","streamSid":"${streamId}"`;

/** Reads the value under either spelling. */
function either(fields: Fields | null, snakeCase: string, camelCase: string): unknown {
  return fields?.[snakeCase] ?? fields?.[camelCase];
}

function readStart(message: Fields): CarrierMessage {
  const start = asObject(message.start);
  const streamId = asId(either(message, 'stream_sid', 'streamSid')) ?? asId(either(start, 'stream_sid', 'streamSid'));
  const providerCallId = asId(either(start, 'call_sid', 'callSid'));
  if (!streamId || !providerCallId) return invalid('start without ids');
  const given = asObject(either(start, 'media_format', 'mediaFormat'));
  const format = readFormat(given);
  if (!format) {
    const name = audioName(given?.encoding, either(given, 'sample_rate', 'sampleRate'));
    return { type: 'unsupported', providerCallId, format: name, remedy: 'set sample-rate=8000 in the stream URL' };
  }
  const parameters = asParameters(asObject(either(start, 'custom_parameters', 'customParameters')));
  return { type: 'start', streamId, providerCallId, format, parameters };
}

/** The encoding has been seen as `audio/x-raw`, `raw` and `base64`, all meaning PCM, and missing altogether. */
function readFormat(given: Fields | null): AudioFormat | null {
  const encoding = given?.encoding ?? '';
  if (typeof encoding !== 'string' || /mulaw|ulaw|pcmu|alaw|pcma/i.test(encoding)) return null;
  return asCount(either(given, 'sample_rate', 'sampleRate') ?? 8000) === 8000 ? PCM_8K : null;
}

function readMedia(media: Fields | null): CarrierMessage {
  if (!media) return invalid('media without content');
  const sequence = media.chunk === undefined ? null : asCount(media.chunk);
  if (sequence === null && media.chunk !== undefined) return invalid('media with an invalid chunk number');
  const payload = asAudio(media.payload);
  return payload && payload.length % 2 === 0
    ? { type: 'audio', sequence, payload }
    : invalid('media without base64 audio of whole samples');
}
