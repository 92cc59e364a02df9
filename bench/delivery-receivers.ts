import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * Receivers of webhook deliveries that respond at once, in a process of their own, so that their CPU time is not the sender's.
 * Started by deliveries.ts, which sends the certificate and how many; gets their URLs, and the count of requests when it asks.
 */

let received = 0;

process.on('message', async (message: { certificate: { key: string; cert: string }; receivers: number } | 'count') => {
  if (message === 'count') return process.send?.(received);
  const urls: string[] = [];
  for (let nth = 0; nth < message.receivers; nth++) {
    const https = createServer(message.certificate, (request, response) => {
      request.resume();
      request.on('end', () => {
        received++;
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
    urls.push(`https://127.0.0.1:${(https.address() as AddressInfo).port}/`);
  }
  process.send?.(urls);
});
process.on('disconnect', () => process.exit(0));
