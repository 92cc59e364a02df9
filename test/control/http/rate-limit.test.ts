import { beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../../control/http/authenticate.ts';
import { HttpError } from '../../../control/http/errors.ts';
import { createRateLimiter, createRequestReserver, type RateLimiter } from '../../../control/http/rate-limit.ts';
import { setRequestsPerMinute } from '../../../control/workspaces/plan.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});

const callerWith = (requests_per_minute: number, key_id: string | null = newId()): Principal => ({
  ...{ workspace_id: 'w', workspace_state: 'active', role: 'api_key', user_id: null, session_id: null, key_id },
  actor: { kind: 'api_key', id: 'k', name: 'Key' },
  requests_per_minute,
});

/** How many of `tries` sequential requests are allowed. */
async function given(limiter: RateLimiter, principal: Principal, tries: number): Promise<number> {
  let count = 0;
  for (let i = 0; i < tries; i++) {
    const refusal = await limiter.take(principal).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal === null) count++;
    else expect(refusal).toMatchObject({ status: 429, detail: 'rate limit exceeded; slow down' });
  }
  return count;
}

describe('the rate limit', () => {
  it('of one process is exact, and resets with the minute', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, createRequestReserver(api.sql));
    for (const limit of [1, 7, 120]) {
      const principal = callerWith(limit);
      expect(await given(limiter, principal, limit + 20)).toBe(limit);
      await clock.advance(60_000);
      expect(await given(limiter, principal, limit + 5)).toBe(limit);
    }
  });

  it('counts what is taken without a promise', async () => {
    const limiter = createRateLimiter(createVirtualClock(), createRequestReserver(api.sql));
    const principal = callerWith(16);
    expect(limiter.takeReserved(principal)).toBeUndefined();
    expect(await limiter.take(principal)).toMatchObject({ 'X-RateLimit-Remaining': '15' });
    expect(limiter.takeReserved(principal)).toMatchObject({ 'X-RateLimit-Remaining': '14' });
    expect(limiter.takeReserved(principal)).toBeUndefined();
    expect(await given(limiter, principal, 20)).toBe(14);
  });

  it('of several processes together is never exceeded, and hardly less', async () => {
    const clock = createVirtualClock();
    const processes = [0, 1, 2].map(() => createRateLimiter(clock, createRequestReserver(api.sql)));
    const principal = callerWith(120);
    const counts = await Promise.all(processes.map((limiter) => given(limiter, principal, 200)));
    const sum = counts.reduce((a, b) => a + b, 0);
    expect(sum).toBe(120);
    // A process without further requests holds an eighth of what was left.
    const other = callerWith(120);
    await processes[0]!.take(other);
    expect(await given(processes[1]!, other, 200)).toBe(120 - 15);
  });

  it('holds for concurrent requests', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, createRequestReserver(api.sql));
    const principal = callerWith(50);
    const all = await Promise.allSettled(Array.from({ length: 200 }, () => limiter.take(principal)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  });

  it('takes effect at once when it is raised', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, createRequestReserver(api.sql));
    const key = newId();
    expect(await given(limiter, callerWith(10, key), 20)).toBe(10);
    expect(await given(limiter, callerWith(30, key), 40)).toBe(20);
  });

  it('does not count sessions', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, createRequestReserver(api.sql));
    const person: Principal = { ...callerWith(1, null), user_id: 'u', session_id: 's' };
    expect(await limiter.take({ ...person, actor: { kind: 'user', id: 'u', name: 'U' } })).toBeNull();
  });

  it('counts a connected app for each user', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter(clock, createRequestReserver(api.sql));
    const app = (user_id: string): Principal => ({
      ...callerWith(1, null),
      ...{ user_id, actor: { kind: 'oauth_app', id: 'app', name: 'App' } },
    });
    await limiter.take(app('one'));
    await limiter.take(app('two'));
    await expect(limiter.take(app('one'))).rejects.toBeInstanceOf(HttpError);
  });
});

describe('the response to a request with a key', () => {
  it('has the limit in its headers, errors included; beyond the limit it is a 429', async () => {
    const workspace = await api.newWorkspace();
    await setRequestsPerMinute(api.sql, workspace.workspace_id, 5);
    const startMinute = Math.floor(Date.now() / 60_000);
    const answers = [
      await workspace.send('GET', '/agents'),
      await workspace.send('GET', `/agents/${newId()}`),
      await workspace.send('POST', '/agents', {}),
      await workspace.send('PATCH', '/workspace', {}),
      await workspace.send('POST', '/agents', '{'),
      await workspace.send('GET', '/agents'),
    ];
    // The minute may have ended meanwhile, which resets the count.
    if (Math.floor(Date.now() / 60_000) !== startMinute) return;
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 422, 403, expect.any(Number), 429]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['4', '3', '2', '1', '0', '0']);
    const { headers, body } = answers[5]!;
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '5',
      'x-ratelimit-reset': String((startMinute + 1) * 60),
      'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
      'x-timezone': 'Asia/Kolkata',
    });
    expect(body).toEqual({ detail: 'rate limit exceeded; slow down' });
  });

  it('of a session has no limit', async () => {
    const { headers } = await (await api.asUser('viewer')).send('GET', '/agents');
    expect(headers).not.toHaveProperty('x-ratelimit-limit');
  });
});
