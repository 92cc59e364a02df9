import { expect, it } from 'vitest';
import { buildApp } from '../../control/app.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { onePool } from '../../control/db/pools.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';

const ASTERISK = { ASTERISK_ARI_URL: 'http://127.0.0.1:8088/ari', ASTERISK_ARI_USER: 'u', ASTERISK_ARI_PASSWORD: 'p' };
const TWILIO = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't' };

/** Nothing is connected: the pool opens its first connection when it is asked. */
async function build(settings: Record<string, string>): Promise<void> {
  const config = readControlConfig({
    DATABASE_URL: 'postgres://127.0.0.1:1/nothing',
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    RECORDINGS_DIR: '/nowhere',
    ...settings,
  });
  const log = createLogger('control', 'silent');
  const sql = connectDatabase({ url: config.DATABASE_URL });
  try {
    const app = await buildApp({ pools: onePool(sql), bus: {} as Bus, clock: systemClock, log, config });
    await app.http.close();
  } finally {
    await sql.end({ timeout: 1 });
  }
}

it('asks for the public address of the API only where a carrier has to call back', async () => {
  await build(ASTERISK);
  await expect(build({ ...ASTERISK, ...TWILIO })).rejects.toThrow('PUBLIC_API_URL is missing: twilio must be told');
  await build({ ...ASTERISK, ...TWILIO, PUBLIC_API_URL: 'https://svc.example.com' });
});
