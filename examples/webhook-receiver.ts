import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Receives webhooks: checks the signature, answers at once, drops what it has seen, and prints one line per event.
 *
 *   WEBHOOK_SECRET=whsec_… node examples/webhook-receiver.ts
 *
 * Put TLS in front and register the address: POST /api/v1/webhooks {"url": "https://…"}; the answer has the secret.
 */

const PORT = Number(process.env.PORT ?? 8092);
const SECRET = process.env.WEBHOOK_SECRET ?? '';
if (SECRET === '') throw new Error('set WEBHOOK_SECRET to the secret of the endpoint');
const TOLERANCE_SECONDS = 300;
const MAX_SEEN = 10_000;
const seen = new Set<string>();

function isGenuine(header: string, body: string): boolean {
  const { t = '', v1 = '' } = Object.fromEntries(header.split(',').map((part) => part.split('=', 2)));
  if (!/^\d+$/.test(t) || Math.abs(Date.now() / 1000 - Number(t)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', SECRET).update(`${t}.${body}`).digest();
  const given = Buffer.from(v1, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, response) => {
  const body = await text(request);
  if (!isGenuine(String(request.headers['x-svc-signature'] ?? ''), body)) {
    response.writeHead(400).end();
    console.log('refused a request with a wrong signature');
    return;
  }
  // Answered before the work: a receiver has 10 seconds, and a retry would come for nothing.
  response.writeHead(204).end();
  const delivery = String(request.headers['x-svc-delivery']);
  if (seen.has(delivery)) return;
  seen.add(delivery);
  if (seen.size > MAX_SEEN) seen.delete(seen.values().next().value!);
  const { type, call_id, data } = JSON.parse(body);
  console.log([type, call_id, data.message].filter(Boolean).join(' · '));
}).listen(PORT, '127.0.0.1', () => console.log(`listening on ${PORT}`));
