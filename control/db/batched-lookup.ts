/**
 * Combines look-ups of single rows that begin in one turn of the event loop into one query. Nothing is cached: the query of a
 * look-up begins after it was called, so it sees every change committed before.
 */
export function createBatchedLookup<Row>(
  /** Returns the rows that were found, by key. */
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (key: string) => Promise<Row | null> {
  let gathering: { keys: Set<string>; rows: Promise<ReadonlyMap<string, Row>> } | null = null;

  function gather() {
    const keys = new Set<string>();
    const rows = new Promise<void>((resolve) => {
      setImmediate(resolve);
    }).then(() => {
      // Later look-ups belong to the next query.
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

/**
 * Carries look-ups of one name that begin in one turn of the event loop out once. Nothing is cached: what is carried out begins after
 * all of them.
 */
export function createSharedLookup<Result>(): (name: string, look: () => Promise<Result>) => Promise<Result> {
  const gathering = new Map<string, Promise<Result>>();

  return (name, look) => {
    const known = gathering.get(name);
    if (known) return known;
    const result = new Promise<void>((resolve) => {
      setImmediate(resolve);
    }).then(() => {
      gathering.delete(name);
      return look();
    });
    gathering.set(name, result);
    return result;
  };
}
