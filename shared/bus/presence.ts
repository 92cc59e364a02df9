import type { NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';

/**
 * Whether the bus is there. What is sent while it is away would not be refused: it would lie in the client until it
 * is forgotten at the next try, or, worse, arrive long after the asker gave up. So nothing is sent then.
 */
export interface Presence {
  readonly online: boolean;
  /** @throws Error at once while the bus is away. */
  requireOnline(): void;
}

export function watchPresence(connection: NatsConnection, log: Logger): Presence {
  let online = true;
  void follow();
  void connection.closed().then((error) => {
    online = false;
    // It tries to come back for ever, but for a server that turned it away twice.
    if (error) log.error({ error: errorText(error) }, 'the bus is gone for good; this process needs a new start');
  });

  async function follow(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        online = false;
        log.warn({}, 'the bus is gone; reconnecting');
      } else if (status.type === 'reconnect') {
        online = true;
        log.info({}, 'the bus is back');
      }
    }
  }

  return {
    get online() {
      return online;
    },
    requireOnline() {
      if (!online) throw new Error('the bus is away');
    },
  };
}
