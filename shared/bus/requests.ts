import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';
import type { Codec } from './messages.ts';
import type { Presence } from './presence.ts';

/** What is asked over the bus and answered at once, never stored. */
export interface RequestCodecs<Request, Reply> {
  request: Codec<Request>;
  reply: Codec<Reply>;
}

export interface RequestClient {
  /** Rejects after `timeoutMs`, at once when nobody serves the subject or the bus is away. */
  request<Request, Reply>(
    subject: string,
    question: RequestCodecs<Request, Reply>,
    request: Request,
    timeoutMs: number,
  ): Promise<Reply>;
  /** With a queue, one of those who serve it answers. What cannot be answered is told to the operator; the asker's deadline tells them. */
  serve<Request, Reply>(
    subject: string,
    question: RequestCodecs<Request, Reply>,
    answer: (request: Request) => Promise<Reply> | Reply,
    queue?: string,
  ): { stop(): void };
}

export function createRequestClient(connection: NatsConnection, presence: Presence, log: Logger): RequestClient {
  return {
    async request(subject, question, request, timeoutMs) {
      presence.requireOnline();
      const reply = await connection.request(subject, question.request.encode(request), { timeout: timeoutMs });
      return question.reply.decode(reply.data);
    },
    serve(subject, question, answer, queue) {
      async function respond(message: Msg): Promise<void> {
        try {
          message.respond(question.reply.encode(await answer(question.request.decode(message.data))));
        } catch (error) {
          log.error({ error: errorText(error), subject }, 'a request on the bus could not be answered');
        }
      }
      const subscription = connection.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback: (error, message) => {
          if (!error) void respond(message);
        },
      });
      return { stop: () => subscription.unsubscribe() };
    },
  };
}
