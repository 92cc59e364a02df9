import { expect, it, vi } from 'vitest';
import { deferredImport, importDeferred } from '../../shared/deferred-import.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

it('imports nothing by itself, and what was not used yet when all are asked for', async () => {
  const load = vi.fn(async () => ({ loaded: true }));
  const library = deferredImport(load);
  expect(load).not.toHaveBeenCalled();
  const clock = createVirtualClock();
  const imported = importDeferred(clock);
  await clock.advance(1_000);
  await imported;
  expect(load).toHaveBeenCalledOnce();
  expect(await library()).toEqual({ loaded: true });
});
