import { MULAW_8K } from '../../audio/format.ts';
import {
  audioName,
  FOREIGN,
  invalid,
  isForeign,
  readDigit,
  readMark,
  readSequencedAudio,
} from '../carrier-message-fields.ts';
import type { CarrierMessage, CarrierProtocol } from '../carrier-protocol.ts';
import { asAudio, asCount, asId, asObject, asParameters, base64, type Fields, parseObject } from '../frame-parser.ts';

/**
 * Twilio Media Streams, bidirectional (`<Connect><Stream>`). Source: Twilio's documentation, "Media Streams - WebSocket
 * messages". All text; counters come as strings; audio is µ-law at 8 kHz both ways, 20 ms a message inwards and any
 * length outwards. A `mark` comes back when what was queued before it has played, and at once on a `clear`.
 */
export const twilioProtocol: CarrierProtocol = {
  carrier: 'twilio',
  returnsMarks: true,
  closeMeansHangUp: false,
  sendsDigits: true,
  packetFrames: 1,

  decode(text, streamId) {
    const media = readPlainMedia(text, streamId);
    if (media) return media;
    const message = parseObject(text);
    if (!message) return invalid('not a JSON object');
    if (isForeign(message.streamSid, streamId)) return FOREIGN;
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
      default:
        return typeof message.event === 'string' ? { type: 'ignored' } : invalid('no event');
    }
  },

  audio: (streamId, payload) => `{"event":"media","streamSid":"${streamId}","media":{"payload":"${base64(payload)}"}}`,
  mark: (streamId, name) => JSON.stringify({ event: 'mark', streamSid: streamId, mark: { name } }),
  clear: (streamId) => `{"event":"clear","streamSid":"${streamId}"}`,
};

/**
 * Matches a caller's frame exactly as Twilio sends it, fifty times a second per call. Anything else, such as another order of
 * the fields, is left to `JSON.parse`.
 */
const PLAIN_HEAD =
  /\{"event":"media","sequenceNumber":"[0-9]{1,15}"(?:,"streamSid":"([A-Za-z0-9]{1,64})")?,"media":\{"track":"inbound","chunk":"([0-9]{1,15})","timestamp":"[0-9]{1,15}","payload":"/y;
const PLAIN_TAIL = /"\}(?:,"streamSid":"([A-Za-z0-9]{1,64})")?\}$/y;

function readPlainMedia(text: string, streamId: string | undefined): CarrierMessage | null {
  PLAIN_HEAD.lastIndex = 0;
  const head = PLAIN_HEAD.exec(text);
  if (!head) return null;
  const from = PLAIN_HEAD.lastIndex;
  const to = text.indexOf('"', from);
  PLAIN_TAIL.lastIndex = to;
  const tail = to < 0 ? null : PLAIN_TAIL.exec(text);
  if (!tail) return null;
  if (isForeign(head[1] ?? tail[1], streamId)) return FOREIGN;
  const payload = asAudio(text.slice(from, to));
  return payload && { type: 'audio', sequence: Number(head[2]), payload };
}

function readStart(message: Fields): CarrierMessage {
  const start = asObject(message.start);
  const streamId = asId(message.streamSid) ?? asId(start?.streamSid);
  const providerCallId = asId(start?.callSid);
  if (!streamId || !providerCallId) return invalid('start without ids');
  const given = asObject(start?.mediaFormat);
  const fits = given?.encoding === 'audio/x-mulaw' && asCount(given.sampleRate) === 8000;
  if (!fits || (asCount(given.channels) ?? 1) !== 1) {
    const format = audioName(given?.encoding, given?.sampleRate, given?.channels);
    return { type: 'unsupported', providerCallId, format, remedy: 'set audio/x-mulaw at 8000 Hz' };
  }
  return {
    type: 'start',
    streamId,
    providerCallId,
    format: MULAW_8K,
    parameters: asParameters(asObject(start?.customParameters)),
  };
}
