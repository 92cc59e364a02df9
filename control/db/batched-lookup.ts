/**
 * Many callers look one row up each, the database is asked once for all of them. Nothing is remembered: the query that answers a
 * caller begins after the caller asked, so a row that was changed or taken away before is never seen as it was. Callers of one turn
 * of the event loop go together, so that a busy process asks seldom and an idle one does not wait.
 */
export function createBatchedLookup<Row>(
  /** The rows that were found, by key. */
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (key: string) => Promise<Row | null> {
  let gathering: { keys: Set<string>; rows: Promise<ReadonlyMap<string, Row>> } | null = null;

  function gather() {
    const keys = new Set<string>();
    const rows = new Promise<void>((resolve) => {
      setImmediate(resolve);
    }).then(() => {
      // Whoever asks from here on belongs to the next query.
      gathering = null;
      return load([...keys]);
    });
    return { keys, rows };
  }

  return async (key) => {
    gathering ??= gather();
    gathering.keys.add(key);
    return (await gathering.rows).get(key) ?? null;
  };
}
