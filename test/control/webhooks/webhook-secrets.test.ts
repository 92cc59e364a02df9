import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { createDeliveryConcurrency } from '../../../control/webhooks/delivery-concurrency.ts';
import { planNextAttempt } from '../../../control/webhooks/delivery-retries.ts';
import { newWebhookSecret, secretHint, signatureHeader } from '../../../control/webhooks/webhook-secrets.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

describe('a secret', () => {
  it('is random, and its hint shows eight characters', () => {
    const made = Array.from({ length: 50 }, newWebhookSecret);
    expect(new Set(made).size).toBe(50);
    for (const secret of made) expect(secret).toMatch(/^whsec_[0-9A-Za-z]{43}$/);
    expect(secretHint(`whsec_abcd${'x'.repeat(35)}wxyz`)).toBe('whsec_abcd…wxyz');
  });

  it('signs the timestamp and the body', () => {
    const expected = createHmac('sha256', 'whsec_test').update('1700000000.{"a":"é"}').digest('hex');
    expect(signatureHeader('whsec_test', '{"a":"é"}', 1_700_000_000_999)).toBe(`t=1700000000,v1=${expected}`);
  });
});

describe('a sealed secret', () => {
  const box = createSecretBox(['one key']);

  it('is decrypted for its owner only, and never encrypted the same way twice', () => {
    const sealed = box.seal('whsec_x', 'acme');
    expect(box.open(sealed, 'acme')).toBe('whsec_x');
    expect(box.open(sealed, 'other')).toBeNull();
    expect(box.seal('whsec_x', 'acme').equals(sealed)).toBe(false);
    expect(sealed.includes('whsec_x')).toBe(false);
  });

  it('is not decrypted when a byte was changed or is missing', () => {
    const sealed = box.seal('whsec_x', 'acme');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(box.open(changed, 'acme')).toBeNull();
      expect(box.open(sealed.subarray(0, at), 'acme')).toBeNull();
    }
  });
});

describe('the schedule', () => {
  it('has exact delays', () => {
    const waits = [0, 1, 2, 3, 4, 5].map((before) => {
      const { status, next_attempt_at } = planNextAttempt({ delivered: false, non_retryable: false }, before, 1_000);
      return [status, next_attempt_at && next_attempt_at.getTime() - 1_000];
    });
    expect(waits).toEqual([
      ['retrying', 10_000],
      ['retrying', 60_000],
      ['retrying', 300_000],
      ['retrying', 1_800_000],
      ['retrying', 7_200_000],
      ['failed', null],
    ]);
  });

  it('ends with success, and with a non-retryable failure', () => {
    const none = { next_attempt_at: null };
    expect(planNextAttempt({ delivered: true, non_retryable: false }, 3, 0)).toEqual({ status: 'delivered', ...none });
    expect(planNextAttempt({ delivered: false, non_retryable: true }, 0, 0)).toEqual({ status: 'failed', ...none });
  });
});

describe('the concurrency limits', () => {
  it('are four per receiver, and half of all for slow receivers', async () => {
    const clock = createVirtualClock();
    const concurrency = createDeliveryConcurrency(clock);
    const slow = (receiver: string) => {
      const { attempted, leave, ended } = concurrency.enter(receiver);
      return () => {
        attempted({ latency_ms: 2_500, delivered: true });
        leave();
        ended(1);
      };
    };
    const end = slow('a');
    concurrency.enter('a');
    expect(concurrency.headroom()).toEqual(new Map([['a', 2]]));
    end();
    expect(concurrency.headroom()).toEqual(new Map([['a', 3]]));

    for (let index = 0; index < 32; index++) {
      slow(`slow ${index}`)();
      for (let slot = 0; slot < 4; slot++) concurrency.enter(`slow ${index}`);
    }
    concurrency.enter('fast');
    // `a` was slow too: it gets nothing while the others use their half.
    expect(concurrency.headroom().get('a')).toBe(0);
    expect(concurrency.headroom().get('fast')).toBe(3);
    await clock.advance(60_001);
    expect(concurrency.headroom().get('a')).toBe(3);
  });
});
