import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pingEnvelope } from '../../control/webhooks/envelope.ts';
import { signatureHeader } from '../../control/webhooks/webhook-secrets.ts';
import { startListeningApi } from '../support/listening-api.ts';

/** The Python client, run by the system's Python. */

const CLIENT = fileURLToPath(new URL('../../clients/python', import.meta.url));
const CALLS = fileURLToPath(new URL('python_calls.py', import.meta.url));
const python = (words: string[], env: Record<string, string> = {}) =>
  promisify(execFile)('python3', ['-B', ...words], { env: { ...process.env, ...env } });

it('calls the API', async () => {
  const { url, newCallingWorkspace } = await startListeningApi();
  const { key } = await newCallingWorkspace();
  const { stdout } = await python([CALLS, CLIENT], { ANTIPHON_URL: url, ANTIPHON_API_KEY: key });
  expect(JSON.parse(stdout)).toEqual({
    ...{ renamed: 'Reception', version: 2, created_at: '+00:00', listed: true, once: true, walked: true },
    ...{ ended: 'canceled', events: ['call.queued', 'call.ended'], rows: 1, csv: 1 },
    ...{ missing: [404, '404 agent not found', 32], invalid: [422, ['body', 'name']] },
  });
});

it('verifies webhooks', async () => {
  const body = pingEnvelope('0'.repeat(32), new Date(0));
  const nowMs = Date.parse('2026-11-28T12:00:00Z');
  const signature = signatureHeader('whsec_x', body, nowMs);
  const program = `import antiphon, sys
secret, signature, body, now = sys.argv[1:]
for given in (secret, 'whsec_y'):
    try: print(antiphon.verify_webhook(given, signature, body.encode(), float(now))['type'])
    except antiphon.WebhookSignatureError as error: print(error)`;
  const words = ['-c', program, 'whsec_x', signature, body, String(nowMs / 1_000)];
  const { stdout } = await python(words, { PYTHONPATH: CLIENT });
  expect(stdout).toBe('ping\nthe signature is not that of the secret\n');
});
