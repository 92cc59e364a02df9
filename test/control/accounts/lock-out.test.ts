import { beforeAll, describe, expect, it } from 'vitest';
import { networkOf } from '../../../control/accounts/attempt-limits.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import {
  createManualClock,
  createTestUsers,
  HOUR_MS,
  MINUTE_MS,
  newAddress,
  newEmail,
  PASSWORD,
} from './test-users.ts';

const ORIGIN = 'https://voice.example.com';
const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, { PUBLIC_API_URL: ORIGIN }, { clock });
  users = createTestUsers(api);
});

const inBrowser = (device = '') => ({
  headers: {
    origin: ORIGIN,
    host: 'voice.example.com',
    ...(device === '' ? {} : { cookie: `__Host-device=${device}` }),
  },
});

const deviceIn = ({ headers }: { headers: Record<string, unknown> }): string => {
  const cookies = [headers['set-cookie'] ?? []].flat() as string[];
  const cookie = cookies.find((each) => each.startsWith('__Host-device='));
  return cookie?.slice('__Host-device='.length).split(';')[0] ?? '';
};

/** Signs in in a browser. @returns the token of its device cookie. */
async function deviceOf(email: string, device = ''): Promise<string> {
  const answer = await users.login(email, PASSWORD, inBrowser(device));
  expect(answer.status).toBe(200);
  return deviceIn(answer);
}

/** Wrong passwords from so many networks, five each. */
async function guessFrom(networks: number, email: string): Promise<void> {
  for (let network = 0; network < networks; network++) {
    const there = { remoteAddress: newAddress() };
    for (let each = 0; each < 5; each++) await users.login(email, 'wrong', there);
  }
}

describe("a stranger's wrong passwords", () => {
  it('do not lock the owner out', async () => {
    const { email } = await users.register();
    await guessFrom(3, email);
    expect((await users.login(email)).status).toBe(200);
  });

  it('lock the account for the whole network of the stranger', async () => {
    const { email } = await users.register();
    for (let each = 1; each <= 5; each++) await users.login(email, 'wrong', { remoteAddress: `203.0.113.${each}` });
    expect((await users.login(email, PASSWORD, { remoteAddress: '203.0.113.99' })).status).toBe(429);
    const other = await users.register();
    expect((await users.login(other.email, PASSWORD, { remoteAddress: '203.0.113.99' })).status).toBe(200);
  });

  it('from ten networks lock all but known devices, and the owner gets one email', async () => {
    const { email } = await users.register();
    const device = await deviceOf(email);
    await guessFrom(10, email);
    expect((await users.login(email)).status).toBe(429);
    expect((await users.login(email, PASSWORD, inBrowser(device))).status).toBe(200);
    clock.forward(HOUR_MS);
    expect((await users.login(email)).status).toBe(200);
    await guessFrom(10, email);
    const warnings = (await users.emailsTo(email)).filter(({ subject }) => subject.startsWith('Many wrong passwords'));
    expect(warnings).toHaveLength(1);
  });

  it('for an unknown address are answered alike, and mailed to nobody', async () => {
    const email = newEmail();
    await guessFrom(10, email);
    expect((await users.login(email)).status).toBe(429);
    expect(await users.emailsTo(email)).toEqual([]);
  });
});

describe('a known device', () => {
  it('has five failures of its own', async () => {
    const { email } = await users.register();
    const device = await deviceOf(email);
    for (let each = 0; each < 5; each++) {
      expect((await users.login(email, 'wrong', inBrowser(device))).status).toBe(401);
    }
    expect((await users.login(email, PASSWORD, inBrowser(device))).status).toBe(429);
    expect((await users.login(email)).status).toBe(200);
  });

  it('is known to its users only', async () => {
    const [mine, theirs] = [await users.register(), await users.register()];
    const device = await deviceOf(mine.email);
    await guessFrom(10, theirs.email);
    expect((await users.login(theirs.email, PASSWORD, inBrowser(device))).status).toBe(429);
    expect(await deviceOf(mine.email, device)).toBe(device);
  });

  it('has a cookie that scripts cannot read and programs do not get', async () => {
    const { email } = await users.register();
    const { headers } = await users.login(email, PASSWORD, inBrowser());
    const cookie = ([headers['set-cookie']].flat() as string[]).find((each) => each.startsWith('__Host-device='))!;
    expect(cookie).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(deviceIn(await users.login(email))).toBe('');
  });

  it('is not made up by a client', async () => {
    const { email } = await users.register();
    const madeUp = `svcd_${'a'.repeat(43)}`;
    expect(await deviceOf(email, madeUp)).not.toBe(madeUp);
  });

  it('is forgotten when the password is reset', async () => {
    const { email } = await users.register();
    const device = await deviceOf(email);
    await users.post('/api/auth/password-reset', { email });
    await expect.poll(async () => (await users.emailsTo(email)).at(-1)!.subject).toBe('Choose a new password');
    const { token } = (await users.emailsTo(email)).at(-1)!;
    await users.post('/api/auth/password-reset/confirm', { token, password: PASSWORD });
    await guessFrom(10, email);
    expect((await users.login(email, PASSWORD, inBrowser(device))).status).toBe(429);
  });
});

it('wrong codes lock sign-in for five minutes, wherever they come from, but not for known devices', async () => {
  const user = await users.register();
  const device = await deviceOf(user.email);
  await api.sql`update users set two_factor_enabled_at = now() where id = ${user.id}`;
  const firstStep = (options = {}) => users.login(user.email, PASSWORD, options);
  for (let each = 0; each < 5; each++) {
    const { login_token } = (await firstStep()).body;
    const wrong = await users.post('/api/v1/auth/login/2fa', { login_token, code: '000000' });
    expect(wrong.status).toBe(401);
  }
  expect([(await firstStep()).status, (await firstStep(inBrowser(device))).status]).toEqual([429, 200]);
  clock.forward(5 * MINUTE_MS);
  expect((await firstStep()).status).toBe(200);
});

it.each([
  ['192.0.2.1', '192.0.2'],
  ['::ffff:192.0.2.9', '192.0.2'],
  ['2001:db8:1:2::3', '2001:db8:1'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
