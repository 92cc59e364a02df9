import { describe, expect, it } from 'vitest';
import { createUrlCheck, type UrlCheckOptions } from '../../../control/webhooks/check-url.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const names: Record<string, string[]> = {
  'hooks.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'inside.example': ['93.184.216.34', '10.0.0.1'],
  'crm.internal': ['10.1.0.1'],
};

const check = (url: string, options: Partial<UrlCheckOptions> = {}, field?: string) =>
  createUrlCheck({
    clock: createVirtualClock(),
    resolve: async (host) => (names[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ...options,
  })(url, ...(field === undefined ? [] : [field]));

const refusal = async (...given: Parameters<typeof check>) => {
  const error = await check(...given).catch((error) => error);
  return error?.detail ?? error;
};

describe('a URL that a client gives', () => {
  it.each(['https://hooks.example/a', 'https://8.8.8.8/', 'https://[2606:2800:220:1::1]/', 'https://new.example/'])(
    '%s is accepted',
    async (url) => {
      await expect(check(url)).resolves.toBeUndefined();
    },
  );

  it.each([
    'http://hooks.example/',
    'https://10.0.0.1/',
    'https://[fd00::1]/',
    'https://inside.example/',
    'https://a/',
    'a',
  ])('%s is refused', async (url) => {
    expect(await refusal(url)).toMatchObject([
      { msg: expect.stringContaining('must be https on the public internet') },
    ]);
  });

  it.each(['https://user@hooks.example/', 'https://user:password@hooks.example/', 'https://:password@8.8.8.8/'])(
    '%s is refused without being shown',
    async (url) => {
      expect(await refusal(url)).toMatchObject([
        {
          msg: expect.stringContaining('no user name and password'),
          input: expect.not.stringMatching(/user|password/),
        },
      ]);
    },
  );

  it('is refused under the name of its field', async () => {
    expect(await refusal('a')).toMatchObject([{ loc: ['body', 'url'] }]);
    expect(await refusal('a', {}, 'webhook_url')).toMatchObject([{ loc: ['body', 'webhook_url'] }]);
  });

  it('may be http where that is allowed', async () => {
    const protocols = ['https', 'http'] as const;
    await expect(check('http://hooks.example/', { protocols })).resolves.toBeUndefined();
    expect(await refusal('ftp://hooks.example/', { protocols })).toMatchObject([
      { msg: expect.stringContaining('must be https or http') },
    ]);
  });

  it.each([
    ['https://10.1.2.3/', '10.1.0.0/16', true],
    ['https://crm.internal/', '10.1.0.0/16', true],
    ['https://crm.internal/', '10.2.0.0/16', false],
    ['https://erp.internal/', '10.1.0.0/16', false],
    ['https://10.2.0.1/', '10.1.0.0/16', false],
    ['https://10.1.0.1/', '10.1.0.1', true],
    ['https://10.1.0.2/', '10.1.0.1', false],
    ['https://[fd00::1]/', 'fd00::/8', true],
    ['https://[fd00::1]/', 'fd00::1', true],
    ['https://[fd00::2]/', 'fd00::1', false],
  ])('%s with %s allowed', async (url, network, isAccepted) => {
    expect((await refusal(url, { allow: [network] })) === undefined).toBe(isAccepted);
  });

  it('is accepted when its host cannot be looked up, or not within a second', async () => {
    await expect(
      check('https://a.example/', { resolve: () => Promise.reject(new Error('no')) }),
    ).resolves.toBeUndefined();
    const clock = createVirtualClock();
    const saved = check('https://a.example/', { clock, resolve: () => new Promise(() => {}) });
    await clock.advance(1_000);
    await expect(saved).resolves.toBeUndefined();
  });
});
