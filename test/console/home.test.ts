import { describe, expect, it } from 'vitest';
import { attentionOf } from '../../console/home/attention.ts';
import { firstSteps } from '../../console/home/first-steps.ts';
import { countedBy, periodIn, pointText } from '../../console/home/periods.ts';

describe('what needs attention', () => {
  const texts = (known: Parameters<typeof attentionOf>[0]) => attentionOf(known).map(({ text }) => text);
  const balance = { credits_paise: 50_000, low_balance: false, minutes_left: 100, currency: 'INR' as const };

  it('is nothing while all is well, or nothing is known', () => {
    expect(texts({})).toEqual([]);
    expect(texts({ balance, totals: { calls: 100, failed: 2 }, incidents: [], pausedBatches: [] })).toEqual([]);
  });

  it('is a debt before credits that run out, and what is urgent before the rest', () => {
    expect(texts({ balance: { ...balance, credits_paise: -1_050, low_balance: true }, failedDeliveries: 1 })).toEqual([
      '₹10.50 are owed. No calls are placed until you add credits.',
      '1 event of the last day could not be delivered to your webhooks.',
    ]);
    expect(
      texts({
        pausedBatches: [{ id: 'b', name: 'June' }],
        balance: { ...balance, low_balance: true, minutes_left: 1.9 },
      }),
    ).toEqual(['Credits are left for 1 minute.', 'The batch June is paused.']);
  });

  it('is a share of failed calls, not one of them', () => {
    expect(texts({ totals: { calls: 10, failed: 2 } })).toEqual([]);
    expect(texts({ totals: { calls: 100, failed: 9 } })).toEqual([]);
    expect(texts({ totals: { calls: 12, failed: 3 } })).toEqual(['3 calls of the last day failed.']);
  });
});

describe('the first steps', () => {
  it('lead from an agent to a number', () => {
    const done = (workspace: Parameters<typeof firstSteps>[0]) => firstSteps(workspace).map((step) => step.done);
    expect(done({ agentId: '', hasCalls: false, hasCredits: false, hasNumber: false })).toEqual(Array(4).fill(false));
    expect(done({ agentId: 'a', hasCalls: true, hasCredits: true, hasNumber: true })).toEqual(Array(4).fill(true));
    expect(firstSteps({ agentId: 'a', hasCalls: false, hasCredits: false, hasNumber: false })[1]!.href).toBe(
      '/agents/a/talk',
    );
  });
});

describe('a period', () => {
  const now = Date.parse('2026-11-24T10:42:07Z');

  it('of a day is counted by hour, a longer one by day', () => {
    expect(countedBy('day', now)).toEqual({ since: '2026-11-23T11:00:00.000Z', bucket: 'hour' });
    expect(countedBy('month', now)).toEqual({ since: '2026-10-25T11:00:00.000Z', bucket: 'day' });
    expect([periodIn('day'), periodIn('no such'), periodIn(undefined)]).toEqual(['day', 'week', 'week']);
  });

  it('has points that are written as hours or days', () => {
    expect(pointText('2026-11-24T14:00:00+05:30', 'en')).toBe('14:00');
    expect(pointText('2026-11-24', 'en-GB')).toBe('24 Nov');
  });
});
