import type { Carrier as CarrierName } from '../../shared/call.ts';
import type { ControlConfig } from '../config.ts';
import { createAsterisk } from './asterisk.ts';
import type { Carrier, Carriers } from './carrier.ts';
import { createExotel } from './exotel.ts';
import { createPlivo } from './plivo.ts';
import { createTelnyx } from './telnyx.ts';
import { createTwilio } from './twilio.ts';
import { createVonage } from './vonage.ts';

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
  if (config.TELNYX_API_KEY && config.TELNYX_CONNECTION_ID && config.TELNYX_PUBLIC_KEY) {
    carriers.set(
      'telnyx',
      createTelnyx({
        api_key: config.TELNYX_API_KEY,
        connection_id: config.TELNYX_CONNECTION_ID,
        public_key: config.TELNYX_PUBLIC_KEY,
        api_url: config.TELNYX_API_URL,
      }),
    );
  }
  if (config.VONAGE_APPLICATION_ID && config.VONAGE_PRIVATE_KEY && config.VONAGE_SIGNATURE_SECRET) {
    carriers.set(
      'vonage',
      createVonage({
        application_id: config.VONAGE_APPLICATION_ID,
        private_key: config.VONAGE_PRIVATE_KEY,
        signature_secret: config.VONAGE_SIGNATURE_SECRET,
        api_url: config.VONAGE_API_URL,
        public_api_url: config.PUBLIC_API_URL,
      }),
    );
  }
  if (config.EXOTEL_ACCOUNT_SID && config.EXOTEL_API_KEY && config.EXOTEL_API_TOKEN) {
    if (config.EXOTEL_CALLBACK_KEY.length < 16) {
      throw new Error('EXOTEL_CALLBACK_KEY is missing, or shorter than 16 characters: Exotel signs nothing');
    }
    carriers.set(
      'exotel',
      createExotel({
        account_sid: config.EXOTEL_ACCOUNT_SID,
        api_key: config.EXOTEL_API_KEY,
        api_token: config.EXOTEL_API_TOKEN,
        api_url: config.EXOTEL_API_URL,
        callback_key: config.EXOTEL_CALLBACK_KEY,
      }),
    );
  }
  if (config.ASTERISK_ARI_URL && config.ASTERISK_ARI_USER && config.ASTERISK_ARI_PASSWORD) {
    if (!/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(config.ASTERISK_ARI_URL)) {
      throw new Error('ASTERISK_ARI_URL is not an address like http://127.0.0.1:8088/ari');
    }
    carriers.set(
      'asterisk',
      createAsterisk({
        ari_url: config.ASTERISK_ARI_URL,
        ari_user: config.ASTERISK_ARI_USER,
        ari_password: config.ASTERISK_ARI_PASSWORD,
        app: config.ASTERISK_APP,
        endpoint: config.ASTERISK_ENDPOINT,
        media_connection: config.ASTERISK_MEDIA_CONNECTION,
      }),
    );
  }
  return carriers;
}
