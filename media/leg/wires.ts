import { asteriskWire } from './asterisk.ts';
import { exotelWire } from './exotel.ts';
import { plivoWire } from './plivo.ts';
import { telnyxWire } from './telnyx.ts';
import { twilioWire } from './twilio.ts';
import { vonageWire } from './vonage.ts';
import type { Wire } from './wire.ts';

/** By the carrier's name in a stream's address. */
export const WIRES: Readonly<Record<string, Wire>> = {
  twilio: twilioWire,
  plivo: plivoWire,
  telnyx: telnyxWire,
  vonage: vonageWire,
  exotel: exotelWire,
  asterisk: asteriskWire,
};
