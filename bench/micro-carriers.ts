import { asteriskShape, mediaStart } from '../fixtures/simulators/carrier-media-asterisk.ts';
import { exotelShape } from '../fixtures/simulators/carrier-media-exotel.ts';
import { plivoShape } from '../fixtures/simulators/carrier-media-plivo.ts';
import { telnyxShape } from '../fixtures/simulators/carrier-media-telnyx.ts';
import { twilioShape } from '../fixtures/simulators/carrier-media-twilio.ts';
import { vonageShape } from '../fixtures/simulators/carrier-media-vonage.ts';
import type { MediaShape } from '../fixtures/simulators/carrier-phone.ts';
import { frameBytes } from '../media/audio/silence.ts';
import type { Wire, WireMessage } from '../media/leg/wire.ts';
import { WIRES } from '../media/leg/wires.ts';
import { newId } from '../shared/ids.ts';
import { callerFrames, type MicroCase, perFrame } from './micro-cases.ts';

/**
 * One frame of each carrier's media stream, from its message to bytes of sound and back. The messages are those that the simulated
 * carriers write; a carrier that puts several frames in one message is divided by them.
 */

interface Line {
  wire: Wire;
  shape: MediaShape;
  /** What the carrier says first. */
  opening: readonly string[];
}

function lines(): Line[] {
  const [call, stream, account] = [newId(), newId(), newId()];
  const ends = { from: '+911140000001', to: '+911140000002' };
  const asterisk = { channelId: call, channelName: 'WebSocket/bench', connectionId: stream, json: true };
  const shapes: Record<string, MediaShape> = {
    twilio: twilioShape({ accountSid: `AC${account}`, callSid: `CA${call}`, streamSid: `MZ${stream}`, parameters: {} }),
    plivo: plivoShape({
      ...{ accountId: account, callId: call, streamId: stream, contentType: 'audio/x-mulaw;rate=8000' },
      ...{ bidirectional: true, extraHeaders: '{}' },
    }),
    telnyx: telnyxShape({
      ...{ callControlId: call, callSessionId: call, streamId: stream, ...ends, codec: 'PCMU', greeted: false },
    }),
    vonage: vonageShape({ call_uuid: call }),
    exotel: exotelShape({
      ...{ accountSid: account, callSid: call, streamSid: stream, ...ends, parameters: {}, spelling: 'documented' },
      marksReturnedOnClear: true,
    }),
    asterisk: asteriskShape(asterisk),
  };
  return Object.entries(shapes).map(([name, shape]) => {
    const opening = name === 'asterisk' ? [mediaStart(asterisk)] : shape.opening();
    return { wire: WIRES[name]!, shape, opening };
  });
}

export function carrierCases(): MicroCase[] {
  return lines().flatMap(({ wire, shape, opening }) => {
    const start = opening.map((text) => wire.decode(text)).find((message) => message.type === 'start');
    if (start?.type !== 'start') throw new Error(`${wire.carrier} did not begin a stream`);
    const frames = callerFrames();
    const messages = frames.map((frame, index) => shape.media(frame, index + 1)).filter((message) => message !== null);
    const read = (message: string | Uint8Array): WireMessage =>
      typeof message === 'string' ? wire.decode(message) : wire.decodeBinary!(message);
    for (const message of messages) {
      const { type } = read(message);
      if (type !== 'audio') throw new Error(`${wire.carrier}: a frame was read as ${type}`);
    }
    const format = start.agentFormat ?? start.format;
    const packet = new Uint8Array(frameBytes(format) * wire.packetFrames);
    for (let at = 0; at < packet.length; at++) packet[at] = (at * 37) & 0xff;
    const packets = frames.length / wire.packetFrames;
    return [
      perFrame('carrier frame', `${wire.carrier} decode`, () => {
        for (const message of messages) read(message);
      }),
      perFrame('carrier frame', `${wire.carrier} encode`, () => {
        for (let number = 1; number <= packets; number++) wire.audio(start.streamId, packet, format, number);
      }),
    ];
  });
}
