import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { selfSignedCertificate } from '../support/certificate.ts';

/** A webhook receiver that takes everything. */
export interface EventReceiver {
  url: string;
  /** Ids of the events. */
  received: Set<string>;
  /** What `call.completed` said of each call: the event's id and the cost. */
  completed: Map<string, { eventId: string; cost_paise: number }[]>;
  close(): Promise<void>;
}

interface Body {
  id: string;
  type: string;
  data?: { call?: { id: string; cost_paise: number } };
}

export async function startEventReceiver(
  certificate: ReturnType<typeof selfSignedCertificate>,
): Promise<EventReceiver> {
  const received = new Set<string>();
  const completed: EventReceiver['completed'] = new Map();
  const server = createServer(certificate, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { id: eventId, type, data } = JSON.parse(Buffer.concat(parts).toString()) as Body;
      if (type === 'call.completed' && data?.call && !received.has(eventId)) {
        const { id, cost_paise } = data.call;
        completed.set(id, [...(completed.get(id) ?? []), { eventId, cost_paise }]);
      }
      received.add(eventId);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    completed,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
