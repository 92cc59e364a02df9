import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type ChannelEnd, connectChannel } from '../../control/process-channel.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** Two ends; what is sent at one arrives at the other. */
function createEnds(): [ChannelEnd, ChannelEnd] {
  const [one, other] = [new EventEmitter(), new EventEmitter()];
  const endOf = (own: EventEmitter, peer: EventEmitter): ChannelEnd => ({
    on: own.on.bind(own),
    send(message, sent) {
      queueMicrotask(() => peer.emit('message', message));
      sent(null);
      return true;
    },
  });
  return [endOf(one, other), endOf(other, one)];
}

it('both ends ask, and get the answer to their own question', async () => {
  const [one, other] = createEnds();
  const clock = createVirtualClock();
  const first = connectChannel(one, clock, async (question) => `first: ${question}`);
  const second = connectChannel(other, clock, async (question) => `second: ${question}`);
  expect(await Promise.all([first.ask('ping', 2_000), first.ask('metrics', 2_000), second.ask('ping', 2_000)])).toEqual(
    [...['second: ping', 'second: metrics', 'first: ping']],
  );
  expect(clock.pending()).toBe(0);
});

it('a question fails with the other process, with its channel, and when there is no answer', async () => {
  const [one, other] = createEnds();
  const clock = createVirtualClock();
  const channel = connectChannel(one, clock, async () => null);
  const silent = expect(channel.ask('ping', 2_000)).rejects.toThrow('does not answer');
  await clock.advance(2_000);
  await silent;
  connectChannel(other, clock, async () => Promise.reject(new Error('no metrics')));
  await expect(channel.ask('metrics', 2_000)).rejects.toThrow('no metrics');
  const lost = { ...one, send: (_: unknown, sent: (error: Error) => void) => sent(new Error('gone')) === undefined };
  await expect(connectChannel(lost, clock, async () => null).ask('ping', 2_000)).rejects.toThrow('gone');
});
