import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { untilNoticed } from './killed-program.ts';

/**
 * PostgreSQL as a process reaches it that is killed in the middle: its connection is gone at a statement that the test names, before
 * the statement arrives or after it is carried out and before its answer. To the database a killed process is a closed socket; here
 * every boundary can be met, that of the commit too, for the price of a connection instead of a process.
 */
export interface DyingConnections {
  /**
   * Runs `work` on a connection of its own that is cut at its statement, or its commit, of that number, counted from 1.
   * The locks of one that was cut are gone afterwards. @returns what it returned, or `cut` when the connection was cut during it.
   */
  run<Result>(cut: Cut, work: (sql: Sql) => Promise<Result>): Promise<Result | 'cut'>;
  close(): Promise<void>;
}

export interface Cut {
  at: 'statement' | 'commit';
  number: number;
  /** It is carried out, and its answer is lost. */
  answered: boolean;
}

/** Any statement of a transaction, the early ones more often; its commit is worth as much as all the others. */
export function drawCut(random: () => number): Cut {
  const at = random() < 0.6 ? 'statement' : 'commit';
  const most = at === 'commit' ? 2 : 30;
  return { at, number: 1 + Math.floor(random() ** 2 * most), answered: random() < 0.5 };
}

export async function startDyingConnections(databaseUrl: string): Promise<DyingConnections> {
  const url = new URL(databaseUrl);
  const dead = new Set<string>();
  let count = 0;
  const server = createServer((client) => {
    const database = openSocket(Number(url.port || 5432), url.hostname);
    for (const socket of [client, database]) socket.on('error', () => {}).setNoDelay(true);
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
    relay(client, database, dead);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const direct = connectDatabase({ url: databaseUrl, max: 1 });
  const through = new URL(databaseUrl);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async run({ at, number, answered }, work) {
      const name = `dies/${at}/${number}/${answered}/${count++}`;
      const sql = connectDatabase({ url: through.href, name, max: 1 });
      try {
        const result = await work(sql);
        return dead.has(name) ? 'cut' : result;
      } catch (error) {
        if (dead.has(name)) return 'cut';
        throw error;
      } finally {
        await sql.end({ timeout: 0 });
        if (dead.has(name)) await untilNoticed(direct, name);
      }
    },
    async close() {
      await direct.end({ timeout: 5 });
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** The first statement of a connection reads its types. */
const OWN_STATEMENTS = 1;
const [PARSE, BIND, EXECUTE, SYNC, QUERY, READY] = [...'PBESQZ'].map((each) => each.charCodeAt(0));

/** Counts the ends of statements in the frontend's messages: a Sync of the extended protocol, a Query of the simple one. */
function relay(client: Socket, database: Socket, dead: Set<string>): void {
  let death: (Cut & { name: string }) | null = null;
  let died = false;
  let statements = 0;
  let commits = 0;
  let commitName: string | null = null;
  let batch: Buffer[] = [];
  const die = () => {
    died = true;
    dead.add(death!.name);
    client.destroy();
    database.destroy();
  };
  const isReached = () =>
    death !== null && (death.at === 'commit' ? commits === death.number : statements === death.number + OWN_STATEMENTS);
  const fromClient = createMessageReader(true, (type, message) => {
    if (type === 0) {
      const text = message.toString('latin1');
      const [name, at, number, answered] = /dies\/(\w+)\/(\d+)\/(\w+)\/\d+/.exec(text)!;
      death = { name, at: at as Cut['at'], number: Number(number), answered: answered === 'true' };
      if (dead.has(name)) {
        died = true;
        client.end(REFUSAL);
        return;
      }
    }
    if (died) return;
    batch.push(message);
    if (type === PARSE) {
      const [name, text] = message.toString('latin1', 5).split('\0');
      if (text === 'commit') commitName = name!;
    }
    if (type === BIND && message.toString('latin1', 5).split('\0')[1] === commitName) commits++;
    if (type === SYNC || type === QUERY) {
      statements++;
      if (isReached() && !death!.answered) return die();
    } else if (type === BIND || type === EXECUTE) return;
    // A statement is sent whole, or not at all.
    database.write(Buffer.concat(batch));
    batch = [];
  });
  const fromDatabase = createMessageReader(false, (type, message) => {
    if (died) return;
    if (!isReached()) client.write(message);
    else if (type === READY) die();
  });
  client.on('data', (part) => fromClient(part as Buffer));
  database.on('data', (part) => fromDatabase(part as Buffer));
}

/** Without an answer the client would connect again and again. */
const REFUSAL = (() => {
  const fields = Buffer.from('SFATAL\0C57P03\0Mthe process is dead\0\0');
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** Messages are a type and a length; only the first one of a client has no type, and is given 0. */
function createMessageReader(untypedFirst: boolean, onMessage: (type: number, message: Buffer) => void) {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = untypedFirst;
  return (part: Buffer) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      const type = untyped ? 0 : message[0]!;
      rest = rest.subarray(length);
      untyped = false;
      onMessage(type, message);
    }
  };
}
