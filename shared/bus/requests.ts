import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';
import type { Codec } from './messages.ts';
import type { Presence } from './presence.ts';

/** The codecs of one kind of request, which is answered at once and never stored. */
export interface RequestCodecs<Request, Reply> {
  request: Codec<Request>;
  reply: Codec<Reply>;
}

export interface RequestClient {
  /** Rejects after `timeoutMs`, at once when nobody serves the subject or the bus is offline. */
  request<Request, Reply>(
    subject: string,
    codecs: RequestCodecs<Request, Reply>,
    message: Request,
    timeoutMs: number,
  ): Promise<Reply>;
  /**
   * Among the servers of one `queue` each request goes to one. A failing handler is logged, and beyond `MAX_REQUESTS_UNDER_WAY` no
   * handler is asked; the requester times out.
   */
  serve<Request, Reply>(
    subject: string,
    codecs: RequestCodecs<Request, Reply>,
    handle: (message: Request) => Promise<Reply> | Reply,
    queue?: string,
  ): { stop(): void };
}

/**
 * How many requests of one subject are handled at once. Requesters wait for 10 seconds at most: what comes beyond would be answered
 * too late, and would only take memory.
 */
export const MAX_REQUESTS_UNDER_WAY = 1_000;

export function createRequestClient(connection: NatsConnection, presence: Presence, log: Logger): RequestClient {
  return {
    async request(subject, codecs, message, timeoutMs) {
      presence.requireOnline();
      const reply = await connection.request(subject, codecs.request.encode(message), { timeout: timeoutMs });
      return codecs.reply.decode(reply.data);
    },
    serve(subject, codecs, handle, queue) {
      let underWay = 0;
      let isFull = false;
      async function respond(message: Msg): Promise<void> {
        if (underWay >= MAX_REQUESTS_UNDER_WAY) {
          if (!isFull) log.warn({ subject }, 'too many bus requests at once, further ones stay without an answer');
          isFull = true;
          return;
        }
        underWay++;
        try {
          message.respond(codecs.reply.encode(await handle(codecs.request.decode(message.data))));
        } catch (error) {
          log.error({ error: errorText(error), subject }, 'bus request failed');
        } finally {
          underWay--;
          // Said once for each time that it was full.
          if (underWay <= MAX_REQUESTS_UNDER_WAY / 2) isFull = false;
        }
      }
      const subscription = connection.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback: (error, message) => {
          // The request names where the answer goes: it must not be a subject on which something else is expected.
          if (!error && message.reply?.startsWith('_INBOX')) void respond(message);
        },
      });
      return { stop: () => subscription.unsubscribe() };
    },
  };
}
