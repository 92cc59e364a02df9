import { describe, expect, it } from 'vitest';
import { createDeliveryConcurrency, type Entered } from '../../../control/webhooks/delivery-concurrency.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const scene = () => {
  const clock = createVirtualClock();
  return { clock, concurrency: createDeliveryConcurrency(clock) };
};

type Concurrency = ReturnType<typeof scene>['concurrency'];

const enterMany = (concurrency: Concurrency, count: number, deliveries = 1) =>
  Array.from({ length: count }, () => concurrency.enter('shop', deliveries));

const headroomOf = (concurrency: Concurrency) => concurrency.headroom().get('shop');

/** One delivery is sent and recorded. @returns whether the next one of its run may follow. */
function send(entered: Entered, latency_ms: number, delivered = true): boolean {
  const mayFollow = entered.attempted({ latency_ms, delivered });
  entered.leave();
  entered.ended(1);
  return mayFollow;
}

const makeFast = (concurrency: Concurrency) => send(concurrency.enter('shop'), 20);

/** How many of them may be sent now. */
async function turnsOf(entered: Entered[]): Promise<number> {
  let turns = 0;
  for (const { turn } of entered) void turn.then((may) => may && turns++);
  await null;
  return turns;
}

describe('a receiver', () => {
  it('that nothing is known of gets four at once', async () => {
    const { concurrency } = scene();
    const entered = enterMany(concurrency, 3);
    expect(headroomOf(concurrency)).toBe(1);
    expect(await turnsOf([...entered, ...enterMany(concurrency, 3)])).toBe(4);
  });

  it('that accepts fast gets eight at once, and has many leased', async () => {
    const { concurrency } = scene();
    makeFast(concurrency);
    expect(headroomOf(concurrency)).toBe(128);
    expect(await turnsOf(enterMany(concurrency, 20))).toBe(8);
  });

  it('that accepts fast has more leased when half of them have ended', () => {
    const { concurrency } = scene();
    makeFast(concurrency);
    const [run] = enterMany(concurrency, 8, 16);
    expect(headroomOf(concurrency)).toBe(0);
    expect(run!.ended(63)).toBe(false);
    expect(headroomOf(concurrency)).toBe(0);
    expect(run!.ended(1)).toBe(true);
    expect(headroomOf(concurrency)).toBe(64);
    expect(run!.ended(1)).toBe(false);
  });

  it('gets the next one of a run after it accepted one within half a second', () => {
    const { concurrency } = scene();
    const next = (latencyMs: number, delivered = true) => send(concurrency.enter('shop'), latencyMs, delivered);
    expect([next(500), next(501), next(20), next(20, false)]).toEqual([true, false, true, false]);
  });

  it('gets the next in order, when one was sent', async () => {
    const { concurrency } = scene();
    const order: number[] = [];
    const entered = enterMany(concurrency, 6);
    entered.forEach(({ turn }, nth) => void turn.then(() => order.push(nth)));
    await entered[3]!.turn;
    send(entered[0]!, 200);
    await entered[4]!.turn;
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('that does not respond keeps none waiting longer than a second', async () => {
    const { clock, concurrency } = scene();
    const entered = enterMany(concurrency, 6);
    await clock.advance(1_000);
    expect(await Promise.all(entered.slice(4).map(({ turn }) => turn))).toEqual([false, false]);
  });

  it.each([
    ['responded slowly', 101, true],
    ['refused', 20, false],
  ])('that %s gets four at once again', async (_what, latencyMs, delivered) => {
    const { concurrency } = scene();
    makeFast(concurrency);
    const entered = enterMany(concurrency, 20);
    const waiting = entered.slice(8);
    for (const each of entered.slice(0, 4)) send(each, latencyMs, delivered);
    expect(await turnsOf(waiting)).toBe(0);
    send(entered[4]!, latencyMs, delivered);
    expect(await turnsOf(waiting)).toBe(1);
    expect(headroomOf(concurrency)).toBe(0);
  });

  it('is remembered as fast for five seconds', async () => {
    const { clock, concurrency } = scene();
    makeFast(concurrency);
    await clock.advance(5_000);
    expect(headroomOf(concurrency)).toBeUndefined();
  });
});
