import { expect, it } from 'vitest';
import { requestTransfer } from '../../../media/call/request-transfer.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** Asks a control that replies to the n-th request only, each of the others taking this long to be lost. */
function ask({ repliesTo, lostAfterMs }: { repliesTo: number; lostAfterMs: number }) {
  const clock = createVirtualClock();
  const ids: string[] = [];
  const bus = {
    async startTransfer({ transfer_id }: { transfer_id: string }) {
      ids.push(transfer_id);
      if (ids.length === repliesTo) return { accepted: true, message: '' };
      await new Promise<void>((resolve) => clock.after(lostAfterMs, resolve));
      throw new Error('lost');
    },
  };
  const result = requestTransfer({ transfer_id: 'one' } as never, { bus, clock }).catch(
    (error: Error) => error.message,
  );
  return { clock, ids, result };
}

it('a reply that is lost is asked for again, by the same transfer', async () => {
  const { clock, ids, result } = ask({ repliesTo: 2, lostAfterMs: 15_000 });
  await clock.advance(16_000);
  expect(await result).toEqual({ accepted: true, message: '' });
  expect(ids).toEqual(['one', 'one']);
});

it('a bus that is away for ten seconds calls no transfer off', async () => {
  const { clock, result } = ask({ repliesTo: 20, lostAfterMs: 0 });
  await clock.advance(10_000);
  expect(await result).toMatchObject({ accepted: true });
});

it('a control that never replies is given up', async () => {
  const { clock, ids, result } = ask({ repliesTo: 99, lostAfterMs: 15_000 });
  await clock.advance(35_000);
  expect([await result, ids.length]).toEqual(['lost', 2]);
});
