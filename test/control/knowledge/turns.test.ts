import { beforeAll, expect, it } from 'vitest';
import type { Embedder } from '../../../control/knowledge/embedder.ts';
import { processSources } from '../../../control/knowledge/process-sources.ts';
import { systemClock as clock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

const log = createLogger('control', 'silent');
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

it('a workspace with very much to process leaves others every second turn', async () => {
  const add = async (client: Client, words: readonly string[]) => {
    const base = await client.send('POST', '/knowledge-bases', { name: 'Base' });
    for (const text of words) {
      await client.send('POST', `/knowledge-bases/${base.body.id}/sources/text`, { name: text, text });
      // Who was first is told by the millisecond.
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  // All of it waits for longer than anything of the others.
  await add(await api.newWorkspace('Large'), ['large one', 'large two', 'large three', 'large four', 'large five']);
  await add(await api.newWorkspace('Small'), ['small one', 'small two']);
  await add(await api.newWorkspace('Other'), ['other one']);
  const order: string[] = [];
  const embedder: Embedder = {
    model: 'none',
    async embed(texts) {
      order.push(...texts);
      return { vectors: texts.map(() => Float32Array.of(1)), error: '' };
    },
  };
  await processSources({ sql: api.sql, clock, log, embedder });
  expect(order).toEqual([
    ...['large one', 'small one', 'large two', 'small two', 'large three', 'other one', 'large four', 'large five'],
  ]);
});
