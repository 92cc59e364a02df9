import type { NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';

/**
 * Whether the bus is connected. The client would buffer what is published while it is offline and deliver it long after
 * the requester has timed out, so callers check first and send nothing while it is offline.
 */
export interface Presence {
  readonly online: boolean;
  /** For how long the bus has been connected and has answered; 0 while it is offline. */
  reachableForMs(): number;
  /** It did not answer, although it is connected. */
  noAnswer(): void;
  /** @throws Error while the bus is offline. */
  requireOnline(): void;
}

/** @param onReconnect called whenever the bus is there again, perhaps another server or one that has started again. */
export function watchPresence(connection: NatsConnection, log: Logger, onReconnect: () => void): Presence {
  let online = true;
  let reachableSinceMs = performance.now();
  void watchStatus();
  void connection.closed().then((error) => {
    online = false;
    if (error) log.error({ error: errorText(error) }, 'bus connection closed for good; restart this process');
  });

  /** What the server refuses at every attempt to connect is logged once. */
  let refusal = '';
  async function watchStatus(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        online = false;
        log.warn({}, 'bus disconnected; reconnecting');
      } else if (status.type === 'reconnect') {
        online = true;
        reachableSinceMs = performance.now();
        refusal = '';
        log.info({}, 'bus reconnected');
        onReconnect();
      } else if (status.type === 'error') {
        const error = errorText(status.error);
        if (error !== refusal) log.error({ error }, 'refused by the bus');
        refusal = error;
      }
    }
  }

  return {
    get online() {
      return online;
    },
    reachableForMs: () => (online ? performance.now() - reachableSinceMs : 0),
    noAnswer() {
      reachableSinceMs = performance.now();
    },
    requireOnline() {
      if (!online) throw new Error('the bus is offline');
    },
  };
}
