import { describe, expect, it } from 'vitest';
import { createDeliveryConcurrency } from '../../../control/webhooks/delivery-concurrency.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const scene = () => {
  const clock = createVirtualClock();
  return { clock, concurrency: createDeliveryConcurrency(clock) };
};

type Concurrency = ReturnType<typeof scene>['concurrency'];

const enterMany = (concurrency: Concurrency, count: number) =>
  Array.from({ length: count }, () => concurrency.enter('shop'));

const headroomOf = (concurrency: Concurrency) => concurrency.headroom().get('shop');

const makeFast = (concurrency: Concurrency) => concurrency.enter('shop').leave(20);

describe('a receiver', () => {
  it('that nothing is known of gets four at once', () => {
    const { concurrency } = scene();
    enterMany(concurrency, 3);
    expect(headroomOf(concurrency)).toBe(1);
  });

  it('that responds fast has sixteen leased, again when half of them are sent', async () => {
    const { concurrency } = scene();
    makeFast(concurrency);
    expect(headroomOf(concurrency)).toBe(16);
    const entered = enterMany(concurrency, 16);
    expect(headroomOf(concurrency)).toBe(0);
    for (const { turn, leave } of entered.slice(0, 8)) {
      expect(await turn).toBe(true);
      leave(20);
    }
    expect(headroomOf(concurrency)).toBe(8);
  });

  it('gets the next in order, when one was sent', async () => {
    const { concurrency } = scene();
    const order: number[] = [];
    const entered = enterMany(concurrency, 6);
    entered.forEach(({ turn }, nth) => void turn.then(() => order.push(nth)));
    await entered[3]!.turn;
    entered[0]!.leave(20);
    await entered[4]!.turn;
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('that does not respond keeps none waiting longer than a second', async () => {
    const { clock, concurrency } = scene();
    makeFast(concurrency);
    const entered = enterMany(concurrency, 6);
    await clock.advance(1_000);
    expect(await Promise.all(entered.slice(4).map(({ turn }) => turn))).toEqual([false, false]);
  });

  it('that responded slowly gets four at once again', () => {
    const { concurrency } = scene();
    makeFast(concurrency);
    concurrency.enter('shop').leave(101);
    concurrency.enter('shop');
    expect(headroomOf(concurrency)).toBe(3);
  });

  it('is remembered as fast for five seconds', async () => {
    const { clock, concurrency } = scene();
    makeFast(concurrency);
    await clock.advance(5_000);
    expect(headroomOf(concurrency)).toBeUndefined();
  });
});
