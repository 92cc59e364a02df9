import { z } from 'zod';
import type { Clock } from '../shared/clock.ts';
import { errorText } from '../shared/log.ts';
import { withTimeout } from '../shared/with-timeout.ts';

/** What the processes of the program ask each other, over the channel of `fork`. `ping`: whether there is an answer at all. */
export type Question = 'metrics' | 'ping';

export interface ProcessChannel {
  /** Rejects when the other process failed, is gone, or does not answer in time. */
  ask(question: Question, withinMs: number): Promise<unknown>;
}

/** A process, or the part of `process` that is connected to the one that forked it. */
export interface ChannelEnd {
  send?(message: unknown, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

const messageSchema = z.union([
  z.object({ id: z.number(), question: z.enum(['metrics', 'ping']) }),
  z.object({ id: z.number(), failure: z.string() }),
  z.object({ id: z.number(), answer: z.unknown() }),
]);
type Message = z.infer<typeof messageSchema>;

/** @param answer answers the other process. */
export function connectChannel(
  end: ChannelEnd,
  clock: Clock,
  answer: (question: Question) => Promise<unknown>,
): ProcessChannel {
  const asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  const send = (message: Message, onFailed: (error: Error) => void = () => {}) => {
    end.send?.(message, (error) => {
      if (error) onFailed(error);
    });
  };

  end.on('message', (received) => {
    const parsed = messageSchema.safeParse(received);
    if (!parsed.success) return;
    const message = parsed.data;
    const { id } = message;
    if ('question' in message) {
      answer(message.question).then(
        (answered) => send({ id, answer: answered }),
        (error: unknown) => send({ id, failure: errorText(error) }),
      );
    } else if ('failure' in message) asked.get(id)?.reject(new Error(message.failure));
    else asked.get(id)?.resolve(message.answer);
  });

  return {
    async ask(question, withinMs) {
      const id = ++lastId;
      const answered = new Promise<unknown>((resolve, reject) => {
        asked.set(id, { resolve, reject });
        send({ id, question }, reject);
      });
      const silent = () => {
        throw new Error('the other process does not answer');
      };
      return withTimeout(answered, withinMs, clock, silent).finally(() => asked.delete(id));
    },
  };
}
