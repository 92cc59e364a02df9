import { describe, expect, it } from 'vitest';
import type { OutgoingDelivery } from '../../../control/webhooks/claim-deliveries.ts';
import { attemptDelivery, receiverOf } from '../../../control/webhooks/delivery-attempt.ts';
import { createDeliveryConcurrency } from '../../../control/webhooks/delivery-concurrency.ts';
import { signatureHeader, type WebhookSecrets } from '../../../control/webhooks/webhook-secrets.ts';
import { SafeFetchError, type SafeRequest, type SafeResponse } from '../../../shared/safe-fetch.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const REQUEST = {
  ...{ delivery_id: 'whd_1', event_type: 'call.ended', body: '{}', url: 'https://hooks.example/a', secret: 'whsec_1' },
};
const PUBLIC_HEADERS = {
  ...{ 'content-type': 'application/json', 'user-agent': 'Service-Webhooks/1.0' },
  ...{ 'x-svc-event': 'call.ended', 'x-svc-delivery': 'whd_1' },
};

/** One attempt that takes 1.5 seconds, at a receiver that answers or fails like this. */
async function attempt(answer: Partial<SafeResponse> | Error, change: Partial<typeof REQUEST> | { secret: null } = {}) {
  const clock = createVirtualClock();
  await clock.advance(700);
  const at = new Date(clock.wall());
  const sent: [string, SafeRequest][] = [];
  const fetch = async (url: string, request: SafeRequest): Promise<SafeResponse> => {
    sent.push([url, request]);
    await clock.advance(1_500);
    if (answer instanceof Error) throw answer;
    return { status: 200, headers: {}, body: '', bytes: 0, truncated: false, ...answer };
  };
  return { at, sent, result: await attemptDelivery({ fetch, clock }, { ...REQUEST, ...change }) };
}

describe('an attempt', () => {
  it('is one signed POST, and its record shows no signature', async () => {
    const { at, sent, result } = await attempt({ headers: { server: 'a\0b' }, body: 'thank\0 you' });
    const signature = signatureHeader('whsec_1', '{}', at.getTime());
    const limits = { timeoutMs: 10_000, maxBytes: 4_096 };
    const headers = { ...PUBLIC_HEADERS, 'x-svc-signature': signature };
    expect(sent).toEqual([[REQUEST.url, { method: 'POST', headers, body: '{}', ...limits }]]);
    expect(result).toEqual({
      ...{ delivered: true, non_retryable: false, url: REQUEST.url, error: '', status_code: 200, at },
      ...{ ended_at_ms: at.getTime() + 1_500, latency_ms: 1_500 },
      request_headers: { ...PUBLIC_HEADERS, 'x-svc-signature': '***' },
      ...{ response_headers: { server: 'ab' }, response_body: 'thank you' },
    });
  });

  it.each([
    [199, false, 'status 199'],
    [200, true, ''],
    [299, true, ''],
    [300, false, 'redirect'],
    [399, false, 'redirect'],
    [400, false, 'status 400'],
    [503, false, 'status 503'],
  ])('answered with %d', async (status, delivered, error) => {
    const { result } = await attempt({ status });
    expect(result).toMatchObject({ delivered, error, status_code: status, non_retryable: false });
  });

  it('that gets no answer says why', async () => {
    const { result } = await attempt(new SafeFetchError('timeout'));
    expect(result).toMatchObject({ delivered: false, non_retryable: false, error: 'timeout', status_code: null });
    expect(result).toMatchObject({ response_headers: {}, response_body: '', latency_ms: 1_500 });
  });

  it('at a private address is not made again', async () => {
    const { result } = await attempt(new SafeFetchError('address not allowed'));
    expect(result).toMatchObject({ delivered: false, non_retryable: true, error: 'address not allowed' });
  });

  it('that was aborted has no outcome', async () => {
    expect((await attempt(new SafeFetchError('aborted'))).result).toBeNull();
  });

  it('fails with an error of its own', async () => {
    await expect(attempt(new Error('defect'))).rejects.toThrow('defect');
  });

  it.each([
    [{ secret: null }, 'secret not readable'],
    [{ url: 'http://hooks.example/a' }, 'invalid url'],
    [{ url: 'hooks' }, 'invalid url'],
  ])('with %j sends nothing', async (change, error) => {
    const { sent, result } = await attempt({}, change);
    expect(sent).toEqual([]);
    expect(result).toMatchObject({ delivered: false, non_retryable: false, error, latency_ms: 0 });
  });

  it('is aborted with its sender', async () => {
    const { signal } = new AbortController();
    const requests: SafeRequest[] = [];
    const fetch = async (_url: string, request: SafeRequest): Promise<SafeResponse> => {
      requests.push(request);
      return { status: 200, headers: {}, body: '', bytes: 0, truncated: false };
    };
    await attemptDelivery({ fetch, clock: createVirtualClock() }, REQUEST, signal);
    expect(requests[0]!.signal).toBe(signal);
  });
});

describe('the receiver', () => {
  const opened = (text: Uint8Array) => Buffer.from(text).toString();
  const secrets = {
    openEndpoint: (workspace: string, id: string, sealed: Uint8Array) => `${workspace} ${id} ${opened(sealed)}`,
    openDefault: (workspace: string, sealed: Uint8Array) => `${workspace} ${opened(sealed)}`,
    ensureDefault: async () => ({ secret: Buffer.from('made') }),
  } as unknown as WebhookSecrets;
  const sealed = Buffer.from('sealed');
  const receiver = (change: Partial<OutgoingDelivery>) =>
    receiverOf(null as never, secrets, {
      ...{ workspace_id: 'w', id: 'whd_1', event_type: 'error', endpoint_id: 'we_1', receiver: 'we_1', call_id: 'c' },
      ...{
        agent_id: 'a',
        scheduled_attempts: 0,
        lease_id: 'l',
        body: '{}',
        configured_url: null,
        default_secret: sealed,
      },
      ...{ endpoint_url: 'https://hooks.example/a', endpoint_secret: sealed, endpoint_active: true },
      ...change,
    });
  const url = 'https://hooks.example/b';

  it.each<[string, Partial<OutgoingDelivery>, unknown]>([
    ['an endpoint', {}, { url: 'https://hooks.example/a', secret: 'w we_1 sealed' }],
    ['an inactive endpoint', { endpoint_active: false }, 'endpoint inactive'],
    ['a deleted endpoint', { endpoint_url: null, endpoint_secret: null }, 'endpoint deleted'],
    ['an endpoint without a secret', { endpoint_secret: null }, 'endpoint deleted'],
    ['an endpoint without a URL', { endpoint_url: null }, 'endpoint deleted'],
    ['an agent', { endpoint_id: 'agent', configured_url: url }, { url, secret: 'w sealed' }],
    ['a campaign', { endpoint_id: 'campaign', configured_url: url }, { url, secret: 'w sealed' }],
    ['an agent without a URL', { endpoint_id: 'agent' }, 'endpoint deleted'],
    ['an agent whose URL is empty', { endpoint_id: 'agent', configured_url: '' }, 'endpoint deleted'],
    [
      'an agent before its workspace has a secret',
      { endpoint_id: 'agent', configured_url: url, default_secret: null },
      { url, secret: 'w made' },
    ],
  ])('is %s', async (_what, change, expected) => {
    expect(await receiver(change)).toEqual(expected);
  });
});

describe('slow receivers', () => {
  type Concurrency = ReturnType<typeof createDeliveryConcurrency>;
  const sent = (concurrency: Concurrency, receiver: string, latency_ms: number) => {
    const { attempted, leave, ended } = concurrency.enter(receiver);
    attempted({ latency_ms, delivered: true });
    leave();
    ended(1);
  };
  const notSent = (concurrency: Concurrency, receiver: string) => concurrency.enter(receiver).ended(1);
  const busy = (concurrency: Concurrency, receiver: string, count: number) => {
    for (let at = 0; at < count; at++) concurrency.enter(receiver);
  };

  it('are those that took two seconds, until a quick answer or for a minute', async () => {
    const clock = createVirtualClock();
    const concurrency = createDeliveryConcurrency(clock);
    const isSlow = (receiver: string) => concurrency.headroom().get(receiver) === 0;
    sent(concurrency, 'crawling', 2_000);
    busy(concurrency, 'crawling', 128);
    sent(concurrency, 'quick', 1_999);
    notSent(concurrency, 'silent');
    sent(concurrency, 'better', 9_000);
    expect([isSlow('quick'), isSlow('silent'), isSlow('better')]).toEqual([false, false, true]);
    notSent(concurrency, 'better');
    expect(isSlow('better')).toBe(true);
    sent(concurrency, 'better', 100);
    expect(isSlow('better')).toBe(false);
    sent(concurrency, 'late', 2_000);
    await clock.advance(59_999);
    expect(isSlow('late')).toBe(true);
    await clock.advance(1);
    expect(concurrency.headroom()).toEqual(new Map([['crawling', 0]]));
  });

  it('have 128 attempts together', () => {
    const concurrency = createDeliveryConcurrency(createVirtualClock());
    sent(concurrency, 'a', 2_000);
    sent(concurrency, 'b', 2_000);
    busy(concurrency, 'a', 127);
    busy(concurrency, 'fast', 3);
    expect(concurrency.headroom()).toEqual(
      new Map([
        ['a', 0],
        ['fast', 1],
      ]),
    );
    concurrency.enter('a');
    expect(concurrency.headroom()).toEqual(
      new Map([
        ['a', 0],
        ['fast', 1],
        ['b', 0],
      ]),
    );
  });

  it('that are idle have all of their limit', () => {
    const concurrency = createDeliveryConcurrency(createVirtualClock());
    const entered = [concurrency.enter('a'), concurrency.enter('a')];
    entered[0]!.attempted({ latency_ms: 101, delivered: true });
    entered[0]!.ended(1);
    expect(concurrency.headroom()).toEqual(new Map([['a', 3]]));
    entered[1]!.ended(1);
    expect(concurrency.headroom()).toEqual(new Map());
  });

  it('are remembered up to ten thousand, the latest', () => {
    const concurrency = createDeliveryConcurrency(createVirtualClock());
    for (let at = 0; at <= 10_000; at++) sent(concurrency, `r${at}`, 2_000);
    busy(concurrency, 'r10000', 128);
    const headroom = concurrency.headroom();
    expect([headroom.size, headroom.has('r0'), headroom.get('r1')]).toEqual([10_000, false, 0]);
  });
});
