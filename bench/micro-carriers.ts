import { asteriskStreamProtocol, mediaStart } from '../fixtures/simulators/carrier-media-asterisk.ts';
import { exotelStreamProtocol } from '../fixtures/simulators/carrier-media-exotel.ts';
import { plivoStreamProtocol } from '../fixtures/simulators/carrier-media-plivo.ts';
import { telnyxStreamProtocol } from '../fixtures/simulators/carrier-media-telnyx.ts';
import { twilioStreamProtocol } from '../fixtures/simulators/carrier-media-twilio.ts';
import { vonageStreamProtocol } from '../fixtures/simulators/carrier-media-vonage.ts';
import type { MediaStreamProtocol } from '../fixtures/simulators/carrier-phone.ts';
import { frameBytes } from '../media/audio/format.ts';
import type { CarrierMessage, CarrierProtocol } from '../media/leg/carrier-protocol.ts';
import { CARRIER_PROTOCOLS } from '../media/leg/carrier-protocols.ts';
import { newId } from '../shared/ids.ts';
import { callerFrames, type MicroCase, perFrame } from './micro-cases.ts';

/**
 * Decoding and encoding one frame of each carrier's media stream, with the messages of the simulated carriers. For carriers with
 * several frames per message the cost is divided.
 */

interface CarrierSetup {
  protocol: CarrierProtocol;
  simulator: MediaStreamProtocol;
  /** The carrier's first messages. */
  opening: readonly string[];
}

function carrierSetups(): CarrierSetup[] {
  const [call, stream, account] = [newId(), newId(), newId()];
  const ends = { from: '+911140000001', to: '+911140000002' };
  const asterisk = { channelId: call, channelName: 'WebSocket/bench', connectionId: stream, json: true };
  const simulators: Record<string, MediaStreamProtocol> = {
    twilio: twilioStreamProtocol({
      accountSid: `AC${account}`,
      callSid: `CA${call}`,
      streamSid: `MZ${stream}`,
      parameters: {},
    }),
    plivo: plivoStreamProtocol({
      ...{ accountId: account, callId: call, streamId: stream, contentType: 'audio/x-mulaw;rate=8000' },
      ...{ bidirectional: true, extraHeaders: '{}' },
    }),
    telnyx: telnyxStreamProtocol({
      ...{ callControlId: call, callSessionId: call, streamId: stream, ...ends, codec: 'PCMU', greeted: false },
    }),
    vonage: vonageStreamProtocol({ call_uuid: call }),
    exotel: exotelStreamProtocol({
      chunkFrames: 5,
      ...{ accountSid: account, callSid: call, streamSid: stream, ...ends, parameters: {}, spelling: 'documented' },
      marksReturnedOnClear: true,
    }),
    asterisk: asteriskStreamProtocol(asterisk),
  };
  return Object.entries(simulators).map(([name, simulator]) => {
    const opening = name === 'asterisk' ? [mediaStart(asterisk)] : simulator.opening();
    return { protocol: CARRIER_PROTOCOLS[name]!, simulator, opening };
  });
}

export function carrierCases(): MicroCase[] {
  return carrierSetups().flatMap(({ protocol, simulator, opening }) => {
    const start = opening.map((text) => protocol.decode(text)).find((message) => message.type === 'start');
    if (start?.type !== 'start') throw new Error(`${protocol.carrier} did not start a stream`);
    const frames = callerFrames();
    const messages = frames
      .map((frame, index) => simulator.media(frame, index + 1))
      .filter((message) => message !== null);
    const read = (message: string | Uint8Array): CarrierMessage =>
      typeof message === 'string'
        ? protocol.decode(message, start.streamId)
        : protocol.decodeBinary!(message, start.format);
    for (const message of messages) {
      const { type } = read(message);
      if (type !== 'audio') throw new Error(`${protocol.carrier}: a frame was read as ${type}`);
    }
    const format = start.agentFormat ?? start.format;
    const packet = new Uint8Array(frameBytes(format) * protocol.packetFrames);
    for (let at = 0; at < packet.length; at++) packet[at] = (at * 37) & 0xff;
    const packets = frames.length / protocol.packetFrames;
    return [
      perFrame('carrier frame', `${protocol.carrier} decode`, () => {
        for (const message of messages) read(message);
      }),
      perFrame('carrier frame', `${protocol.carrier} encode`, () => {
        for (let number = 1; number <= packets; number++) protocol.audio(start.streamId, packet, format, number);
      }),
    ];
  });
}
