import { beforeAll, expect, it } from 'vitest';
import { openContacts } from '../../../control/batches/contact-store.ts';
import { connectExplained } from '../../support/executed-plans.ts';
import { type BatchFixture, createBatchFixture } from './batch-fixture.ts';

let fixture: BatchFixture;

beforeAll(async () => {
  fixture = await createBatchFixture();
});

it('the calls of open contacts are read in the month of each, not in every month', async () => {
  const tenant = await fixture.tenant();
  const { id } = await fixture.make(tenant, 3);
  await fixture.feed(tenant);
  const [first] = await fixture.dial(tenant);
  await fixture.end(first!, 'busy');
  const explained = await connectExplained(fixture.url, { forAnyValues: true });
  let open: Awaited<ReturnType<typeof openContacts>> = [];
  const tables = await explained.tablesRead((sql) =>
    sql.begin(async (tx) => {
      open = await openContacts(tx, { ...tenant, id });
    }),
  );
  expect(open.map(({ call_status }) => call_status).sort()).toEqual(['busy', 'ringing', 'ringing']);
  expect(tables.filter((table) => table.startsWith('finished_calls'))).toHaveLength(1);
});
