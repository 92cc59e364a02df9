import { expect, test } from 'vitest';
import { createLogger } from '../../shared/log.ts';
import { closeInOrder } from '../../shared/shutdown.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('closes parts one after the other, also after one that fails or hangs', async () => {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const log = createLogger('test', 'info', { write: (line: string) => void lines.push(line) });
  const closed: string[] = [];
  let over = false;
  const closing = closeInOrder(
    [
      ['first', () => new Promise<void>((resolve) => clock.after(100, resolve)).then(() => void closed.push('first'))],
      ['hangs', () => new Promise(() => void closed.push('hangs'))],
      [
        'throws',
        () => {
          closed.push('throws');
          throw new Error('broken');
        },
      ],
      ['rejects', () => Promise.reject(new Error('closed'))],
      ['last', () => void closed.push('last')],
    ],
    { withinMs: 1_000, clock, log },
  ).then(() => {
    over = true;
  });
  await clock.advance(50);
  expect(closed).toEqual([]);
  await clock.advance(100);
  expect(closed).toEqual(['first', 'hangs']);
  expect(over).toBe(false);
  await clock.advance(1_000);
  await closing;
  expect(closed).toEqual(['first', 'hangs', 'throws', 'last']);
  expect(clock.pending()).toBe(0);
  const logged = lines.map((line) => JSON.parse(line) as { part: string; error: string });
  expect(logged.map(({ part, error }) => `${part}: ${error}`)).toEqual([
    'hangs: not closed within 1000 ms',
    'throws: broken',
    'rejects: closed',
  ]);
});
