import { errorText } from '../../shared/log.ts';
import type { Sql } from './connect.ts';

/**
 * Listens to a channel of PostgreSQL. Only a wake-up: some may be missed, and when the channel cannot be listened to, all are;
 * `unheard` then says so, once.
 */
export function listenForNotifications(
  sql: Sql,
  channel: string,
  onNotification: (payload: string) => void,
  onListenFailed: (error: string) => void,
): { stop(): Promise<void> } {
  const listening = sql.listen(channel, onNotification).catch((error: unknown) => {
    onListenFailed(errorText(error));
    return null;
  });
  return {
    async stop() {
      await (await listening)?.unlisten().catch(() => {});
    },
  };
}
