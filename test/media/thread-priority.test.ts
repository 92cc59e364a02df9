import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { keepOtherThreadsPriorityLow } from '../../media/thread-priority.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const threads = () => readdirSync('/proc/self/task').map(Number);

/** proc(5), /proc/pid/stat: the 19th field, counted from the third behind the name in brackets. */
const niceOf = (thread: number) =>
  Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[16]);

it.runIf(process.platform === 'linux')(
  'a thread that is started in place of a failed one comes behind the media thread, too',
  async () => {
    const clock = createVirtualClock();
    const worker = { restarts: 0 };
    keepOtherThreadsPriorityLow([worker], { clock, log: createLogger('test', 'silent') });
    const own = niceOf(process.pid);
    const before = new Set(threads());
    const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
    await once(thread, 'online');
    try {
      const started = threads().filter((id) => !before.has(id));
      expect(started.length).toBeGreaterThan(0);
      worker.restarts = 1;
      await clock.advance(5_000);
      expect(new Set(started.map(niceOf))).toEqual(new Set([10]));
      expect(niceOf(process.pid)).toBe(own);
    } finally {
      await thread.terminate();
    }
  },
);
