import { asteriskProtocol } from './asterisk.ts';
import type { CarrierProtocol } from './carrier-protocol.ts';
import { exotelProtocol } from './exotel.ts';
import { plivoProtocol } from './plivo.ts';
import { telnyxProtocol } from './telnyx.ts';
import { twilioProtocol } from './twilio.ts';
import { vonageProtocol } from './vonage.ts';

/** By the carrier's name in a stream's address. */
export const CARRIER_PROTOCOLS: Readonly<Record<string, CarrierProtocol>> = {
  twilio: twilioProtocol,
  plivo: plivoProtocol,
  telnyx: telnyxProtocol,
  vonage: vonageProtocol,
  exotel: exotelProtocol,
  asterisk: asteriskProtocol,
};
