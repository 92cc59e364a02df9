import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase } from '../../control/db/connect.ts';
import { migrate } from '../../control/db/migrate.ts';
import { startNats } from '../../dev/nats.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { raceForSlots } from '../support/slot-race.ts';

/**
 * `make slots`: 20 concurrent clients place 10,000 calls through two control apps for 5 call slots, with inbound calls in
 * between: at most 5 are live at a time, and none is dialled twice. CALLS sets another number. Exit code 1 on a violation.
 */

const PLACEMENTS = Number(process.env.CALLS ?? 10_000);
const SLOTS = 5;

const home = mkdtempSync(join(tmpdir(), 'antiphon-slots-'));
const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
const nats = await startNats({ dataDir: join(home, 'nats') });
let held = false;
try {
  const sql = connectDatabase({ url: postgres.url, max: 1 });
  await migrate(sql);
  await sql.end();
  const race = await raceForSlots({
    ...{ postgresUrl: postgres.url, natsUrl: nats.url, placements: PLACEMENTS, clients: 20, slots: SLOTS },
  });
  const twice = [...race.dials.values()].filter((times) => times !== 1).length;
  console.log(`calls placed            ${race.placed} in ${race.seconds.toFixed(1)} s`);
  console.log(`rang in                 ${race.inbound.taken} taken, ${race.inbound.rejected} rejected: busy`);
  console.log(`slots                   ${SLOTS}`);
  console.log(`most live at once       ${race.maxInDatabase} in the database, ${race.maxAtCarrier} at the carrier`);
  console.log(`calls dialled           ${race.dials.size}, ${twice} of them more than once`);
  console.log(`timelines that are wrong ${race.wrong}`);
  held =
    race.maxInDatabase <= SLOTS &&
    race.maxAtCarrier <= SLOTS &&
    race.dials.size === PLACEMENTS &&
    twice === 0 &&
    race.wrong === 0;
  console.log(held ? 'passed' : 'FAILED');
} finally {
  await nats.stop();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}
process.exit(held ? 0 : 1);
