import { expect, it } from 'vitest';
import { startTestNats } from '../../support/nats.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { raceForSlots } from '../../support/slot-race.ts';

/** `make slots` does the same with 10,000 calls. */
const PLACEMENTS = 300;
const SLOTS = 5;

it('never exceeds the slots and never dials twice, with two control processes and 20 clients', async () => {
  const database = await createTestDatabase();
  const nats = await startTestNats();
  const race = await raceForSlots({
    ...{ postgresUrl: database.url, natsUrl: nats.url, placements: PLACEMENTS, clients: 20, slots: SLOTS },
  });
  expect(race.placed).toBe(PLACEMENTS);
  expect(race.inbound.taken + race.inbound.rejected).toBe(PLACEMENTS / 10);
  expect(race.maxAtCarrier).toBeLessThanOrEqual(SLOTS);
  expect(race.maxInDatabase).toBe(SLOTS);
  expect(race.dials.size).toBe(PLACEMENTS);
  expect([...race.dials.values()].filter((times) => times !== 1)).toEqual([]);
  expect(race.wrong).toBe(0);
});
