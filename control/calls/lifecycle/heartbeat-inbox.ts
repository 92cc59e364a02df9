import type { Heartbeat } from '../../../shared/bus/messages.ts';

/** As many as the registry of engines knows. */
const MAX_ENGINES = 10_000;

export interface HeartbeatInbox {
  /** Hands it on, or keeps it while an earlier one of its engine is handled. Null: handled with another, or not at all. */
  receive(heartbeat: Heartbeat): Promise<void> | null;
}

/**
 * Hands on one heartbeat of an engine at a time, and of those that come meanwhile only the newest: it replaces the others. So a
 * flood of heartbeats, or a slow database, takes no memory.
 *
 * @param onFull called for a heartbeat of one engine too many, which is ignored.
 */
export function createHeartbeatInbox(
  handle: (heartbeat: Heartbeat) => Promise<void>,
  onFull: () => void,
): HeartbeatInbox {
  /** By engine that one is handled of: the newest that came meanwhile. */
  const newest = new Map<string, Heartbeat | null>();

  async function handleAll(first: Heartbeat): Promise<void> {
    const { engine_id } = first;
    try {
      for (let next: Heartbeat | null = first; next; next = newest.get(engine_id) ?? null) {
        newest.set(engine_id, null);
        await handle(next);
      }
    } finally {
      newest.delete(engine_id);
    }
  }

  return {
    receive(heartbeat) {
      const { engine_id } = heartbeat;
      if (newest.has(engine_id)) {
        newest.set(engine_id, heartbeat);
        return null;
      }
      if (newest.size >= MAX_ENGINES) {
        onFull();
        return null;
      }
      return handleAll(heartbeat);
    },
  };
}
