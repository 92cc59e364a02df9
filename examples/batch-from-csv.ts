import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { api } from './api.ts';

/**
 * Calls every contact of a CSV file with one agent and prints the results as CSV. The column with the numbers is found by its name
 * (`phone`, `to_number`, …); all other columns become the call's variables.
 *
 *   ANTIPHON_KEY=svc_… node examples/batch-from-csv.ts AGENT_ID contacts.csv > results.csv
 */

const [agentId, file] = process.argv.slice(2);
if (!agentId || !file) throw new Error('usage: node examples/batch-from-csv.ts AGENT_ID contacts.csv');
const CHECK_EVERY_MS = Number(process.env.CHECK_EVERY_MS ?? 5_000);

const form = new FormData();
form.set('file', await openAsBlob(file, { type: 'text/csv' }), basename(file));
const upload = await api<{ id: string; valid_rows: number; errors: { row: number; msg: string }[] }>(
  'POST',
  '/batches/uploads',
  form,
);
for (const { row, msg } of upload.errors) console.error(`row ${row}: ${msg}`);
console.error(`${upload.valid_rows} contacts`);

const batch = await api<{ id: string }>('POST', '/batches', {
  agent_id: agentId,
  upload_id: upload.id,
  max_attempts: 2,
  retry_on: ['no-answer', 'busy'],
});

const FINAL = ['completed', 'canceled', 'failed'];
for (;;) {
  const { status, counts } = await api<{ status: string; counts: Record<string, number> }>(
    'GET',
    `/batches/${batch.id}`,
  );
  console.error(`${status}: ${JSON.stringify(counts)}`);
  if (FINAL.includes(status)) break;
  await wait(CHECK_EVERY_MS);
}
process.stdout.write(await api<string>('GET', `/batches/${batch.id}/results`));
