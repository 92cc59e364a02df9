import { describe, expect, it } from 'vitest';
import { agreementOf, measureAgreement } from '../../../control/agent-tests/judge-agreement.ts';
import { runOf } from './scripted-models.ts';

const conversation = {
  transcript: [{ role: 'agent' as const, text: 'It left Pune.', at_ms: 0, interrupted: false }],
  ending: 'caller hung up' as const,
  started_at_ms: 0,
  timezone: 'UTC',
};
const signal = new AbortController().signal;

/** A judge whose verdicts on two criteria are these, in order; null answers nothing. */
function judgeOf(...verdicts: ([boolean, boolean] | null)[]) {
  return () =>
    runOf(() => {
      const next = verdicts.shift();
      return next
        ? JSON.stringify({
            verdicts: next.map((passed, index) => ({ criterion: index + 1, passed, reason: '', quote: '' })),
          })
        : '';
    });
}

const measure = (...verdicts: Parameters<typeof judgeOf>) =>
  measureAgreement([{ name: 'Order', criteria: ['one', 'two'], conversation }], 4, judgeOf(...verdicts), signal);

describe('the agreement of a judge with itself', () => {
  it('is whole when every verdict is the same', async () => {
    const same: [boolean, boolean] = [true, false];
    expect(await measure(same, same, same, same)).toEqual({
      ...{ criteria: 2, unanimous: 2, pairwise: 1, failed: [], divided: [] },
    });
  });

  it('is the share of pairs that agree', async () => {
    // Of "one", 3 of 6 pairs agree; of "two", 2 of 6.
    expect(await measure([true, true], [true, true], [true, false], [false, false])).toMatchObject({
      ...{ criteria: 2, unanimous: 0, pairwise: 5 / 12 },
      divided: [
        { name: 'Order', criterion: 'one', passed: 3, of: 4 },
        { name: 'Order', criterion: 'two', passed: 2, of: 4 },
      ],
    });
  });

  it('leaves out judgements without verdicts, and counts them', async () => {
    expect(await measure([true, true], null, [true, false], null)).toMatchObject({
      pairwise: 0.5,
      failed: [expect.any(String), expect.any(String)],
    });
    expect(await measure(null, null, null, [true, true])).toMatchObject({ criteria: 0, pairwise: null });
  });

  it('is no figure without judgements', () => {
    expect(agreementOf([])).toMatchObject({ criteria: 0, pairwise: null });
  });
});
