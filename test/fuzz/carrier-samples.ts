import { asteriskStreamProtocol, mediaStart } from '../../fixtures/simulators/carrier-media-asterisk.ts';
import { exotelStreamProtocol } from '../../fixtures/simulators/carrier-media-exotel.ts';
import { PLIVO_CONTENT_TYPES, plivoStreamProtocol } from '../../fixtures/simulators/carrier-media-plivo.ts';
import { telnyxStreamProtocol } from '../../fixtures/simulators/carrier-media-telnyx.ts';
import { twilioStreamProtocol } from '../../fixtures/simulators/carrier-media-twilio.ts';
import { vonageStreamProtocol } from '../../fixtures/simulators/carrier-media-vonage.ts';
import type { MediaStreamProtocol } from '../../fixtures/simulators/carrier-phone.ts';

export type Sample = object | string | Uint8Array;

export interface CarrierSamples {
  /** What a stream begins with. */
  opening: readonly Sample[];
  /** What comes after it, in any order. */
  messages: readonly Sample[];
}

const STREAM = 'MZ1';
const SPEECH = Int16Array.from({ length: 160 }, (_, at) => Math.round(8_000 * Math.sin(at / 5)));
const FRAMES = 12;

/** Valid messages of each carrier's media stream, as its simulator sends them. */
export function carrierSamples(): Record<string, CarrierSamples> {
  return {
    twilio: samplesOf(() =>
      twilioStreamProtocol({ accountSid: 'AC1', callSid: 'CA1', streamSid: STREAM, parameters: { ref: 'x' } }),
    ),
    plivo: several(
      PLIVO_CONTENT_TYPES.map(
        (contentType) => () =>
          plivoStreamProtocol({
            ...{ accountId: 'MA1', callId: 'CA1', streamId: STREAM, contentType, bidirectional: true },
            extraHeaders: '{"ref":"x"}',
          }),
      ),
    ),
    telnyx: several(
      (['PCMU', 'PCMA'] as const).map(
        (codec) => () =>
          telnyxStreamProtocol({
            ...{ callControlId: 'v3:1', callSessionId: 's', streamId: STREAM, from: '+9111', to: '+9112', codec },
            greeted: false,
          }),
      ),
    ),
    exotel: several(
      (['documented', 'sampled'] as const).map(
        (spelling) => () =>
          exotelStreamProtocol({
            ...{ accountSid: 'AC1', callSid: 'CA1', streamSid: STREAM, from: '0', to: '1', parameters: { ref: 'x' } },
            ...{ spelling, marksReturnedOnClear: true, chunkFrames: 5 },
          }),
      ),
    ),
    vonage: samplesOf(() => vonageStreamProtocol({ ref: 'x' })),
    asterisk: asteriskSamples(),
    stream: streamSamples(),
  };
}

/** Of an API client; no simulator speaks for it. */
function streamSamples(): CarrierSamples {
  const start = (encoding: string, sample_rate: number) => ({
    type: 'start',
    audio: { encoding, sample_rate },
    marks: true,
    transcripts: true,
  });
  return {
    opening: [start('pcm16', 8_000), start('pcm16', 16_000), start('pcm16', 24_000), start('mulaw', 8_000)],
    messages: [
      ...Array.from({ length: FRAMES }, (_, at) => new Uint8Array(320 * (at + 1)).fill(at)),
      { type: 'mark', name: 'm5' },
      { type: 'digit', digit: '5' },
      { type: 'hang_up' },
    ],
  };
}

/** Its `MEDIA_START` comes from the channel's driver. */
function asteriskSamples(): CarrierSamples {
  const streams = [true, false].map((json) => ({
    channelId: 'c1',
    channelName: 'WebSocket/x',
    connectionId: 'x',
    json,
  }));
  const { messages } = several(streams.map((stream) => () => asteriskStreamProtocol(stream)));
  return { opening: streams.map((stream) => parsed(mediaStart(stream))), messages };
}

function several(protocols: (() => MediaStreamProtocol)[]): CarrierSamples {
  const all = protocols.map(samplesOf);
  return { opening: all.flatMap(({ opening }) => opening), messages: all.flatMap(({ messages }) => messages) };
}

function samplesOf(create: () => MediaStreamProtocol): CarrierSamples {
  const protocol = create();
  const opening = protocol.opening().map(parsed);
  const audio = Array.from({ length: FRAMES }, (_, at) => protocol.media(SPEECH, at + 1)).filter(
    (each) => each !== null,
  );
  const others = [protocol.digit('5'), protocol.markPlayed('m1'), protocol.cleared(), protocol.goodbye()];
  const { full, ready, drained } = protocol.queue ?? {};
  const queue = [full?.(), ready?.(), drained?.()];
  const given = [...audio, ...others, ...queue, protocol.errorMessage?.('x')].filter(
    (each) => each !== null && each !== undefined,
  );
  return { opening, messages: given.map(parsed) };
}

const parsed = (message: string | Uint8Array): Sample => {
  if (typeof message !== 'string' || !message.startsWith('{')) return message;
  return JSON.parse(message) as object;
};
