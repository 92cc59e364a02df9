import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readScenario, scenarioDifferences } from '../../bench/replay/scenario.ts';

/** Captured calls that the engine must go on to carry as it did; `docs/captures.md` says how one is made. */

const FOLDER = fileURLToPath(new URL('captured', import.meta.url));
const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));

test.each(names)('%s goes as it was captured', async (name) => {
  const { capture, scenario } = await readScenario(FOLDER, name);
  expect(await scenarioDifferences(capture, scenario)).toEqual([]);
});
