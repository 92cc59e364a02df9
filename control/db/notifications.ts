import { errorText } from '../../shared/log.ts';
import type { Sql } from './connect.ts';

/**
 * Listens to a channel of PostgreSQL. Notifications only wake: some may be missed, and all of them when listening fails, which
 * `onListenFailed` reports once.
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
