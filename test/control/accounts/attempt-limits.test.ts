import { beforeAll, describe, expect, it } from 'vitest';
import { addressSubject, countAttempt, emailSubject, retryAfterMs } from '../../../control/accounts/attempt-limits.ts';
import { deleteExpiredCredentials } from '../../../control/accounts/credential-cleanup.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { clientName } from '../../../control/http/client-name.ts';
import { request, startTestApi } from '../../support/control-app.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const LIMIT = { count: 3, withinMs: 60_000 };
const T = Date.UTC(2026, 0, 5);
let here: Sql;
let there: Sql;

beforeAll(async () => {
  const database = await createTestDatabase();
  here = database.sql;
  there = connectDatabase({ url: database.url, max: 2 });
  return () => there.end({ timeout: 5 });
});

describe('attempts', () => {
  it('are counted in a sliding window', async () => {
    const count = (atMs: number) => countAttempt(here, 'a', LIMIT, T + atMs);
    const wait = (atMs: number) => retryAfterMs(here, ['a'], LIMIT, T + atMs);
    expect([await wait(0), await count(0), await count(10_000), await wait(10_000)]).toEqual([0, 0, 0, 0]);
    expect([await count(20_000), await wait(20_000)]).toEqual([0, 40_000]);
    expect(await wait(59_999)).toBe(1);
    expect(await wait(60_000)).toBe(0);
    expect([await count(60_000), await wait(60_000)]).toEqual([0, 10_000]);
  });

  it('are counted by all processes together', async () => {
    const all = Array.from({ length: 12 }, (_, each) => countAttempt(each % 2 ? here : there, 'b', LIMIT, T));
    const waits = await Promise.all(all);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    expect(await retryAfterMs(here, ['b'], LIMIT, T)).toBe(60_000);
    expect(await retryAfterMs(there, ['other', 'b'], LIMIT, T)).toBe(60_000);
  });

  it('are stored in one row, and deleted later', async () => {
    for (let each = 0; each < 20; each++) await countAttempt(here, 'c', LIMIT, T + each);
    const [row] = await here`select cardinality(happened_at) as count from attempts where subject = 'c'`;
    expect(row!.count).toBe(4);
    await deleteExpiredCredentials(here, T + 10 * 60_000);
    expect(await here`select 1 from attempts`).toHaveLength(0);
  });

  it.each([
    ['192.0.2.1', 'k address 192.0.2.1'],
    ['::ffff:192.0.2.1', 'k address 192.0.2.1'],
    ['2001:db8::1', 'k address 2001:db8:0:0'],
    ['2001:0DB8:0:0:ffff::', 'k address 2001:db8:0:0'],
    ['::1', 'k address 0:0:0:0'],
    ['fe80::1%eth0', 'k address fe80:0:0:0'],
  ])('of the client %s count for %s', (address, subject) => {
    expect(addressSubject('k', address)).toBe(subject);
  });

  it('of an email do not store the address', () => {
    expect(emailSubject('k', 'a@example.com')).toMatch(/^k email [a-f0-9]{32}$/);
  });
});

describe('the address of a client', () => {
  const login = async (settings: Record<string, string>, forwarded: string) => {
    const api = await startTestApi({}, settings);
    const payload = { email: 'nobody@example.com', password: 'wrong' };
    const headers = { 'x-forwarded-for': forwarded };
    await request(api.http, { method: 'POST', url: '/api/v1/auth/login', payload, headers, remoteAddress: '10.0.0.1' });
    const rows = await api.sql<{ subject: string }[]>`select subject from attempts where subject like '%address%'`;
    return rows.map(({ subject }) => subject);
  };

  it('comes from X-Forwarded-For only behind a trusted proxy', async () => {
    expect(await login({}, '192.0.2.9')).toEqual(['sign-in address 10.0.0.1']);
    expect(await login({ TRUSTED_PROXIES: '10.0.0.0/8' }, '203.0.113.1, 192.0.2.9')).toEqual([
      'sign-in address 192.0.2.9',
    ]);
    expect(await login({ TRUSTED_PROXIES: '10.0.0.2' }, '192.0.2.9')).toEqual(['sign-in address 10.0.0.1']);
  });
});

describe('browser and system', () => {
  it.each([
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile Safari/604.1',
      'Chrome on iPhone',
    ],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['curl/8.5.0', 'curl'],
    ['', ''],
    ['Mozilla/5.0', ''],
    ['<script>alert(1)</script>', ''],
    [undefined, ''],
  ])('of %j are %j', (agent, name) => {
    expect(clientName(agent)).toBe(name);
  });
});
