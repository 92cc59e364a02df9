import type { Carrier as CarrierName } from '../../shared/call.ts';
import type { ControlConfig } from '../config.ts';
import type { Carrier, Carriers } from './carrier.ts';
import { createPlivo } from './plivo.ts';
import { createTwilio } from './twilio.ts';

/** The carriers whose account the settings name. */
export function configuredCarriers(config: ControlConfig): Carriers {
  const carriers = new Map<CarrierName, Carrier>();
  if (config.TWILIO_ACCOUNT_SID && config.TWILIO_AUTH_TOKEN) {
    carriers.set(
      'twilio',
      createTwilio({
        account_sid: config.TWILIO_ACCOUNT_SID,
        auth_token: config.TWILIO_AUTH_TOKEN,
        api_url: config.TWILIO_API_URL,
      }),
    );
  }
  if (config.PLIVO_AUTH_ID && config.PLIVO_AUTH_TOKEN) {
    carriers.set(
      'plivo',
      createPlivo({
        auth_id: config.PLIVO_AUTH_ID,
        auth_token: config.PLIVO_AUTH_TOKEN,
        api_url: config.PLIVO_API_URL,
      }),
    );
  }
  return carriers;
}
