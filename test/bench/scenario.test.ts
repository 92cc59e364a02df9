import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Capture } from '../../bench/replay/read-capture.ts';
import { readScenario, scenarioDifferences } from '../../bench/replay/scenario.ts';
import { writeScenario } from '../../control/operators/capture-scenario.ts';
import type { Scenario } from '../../shared/capture-scenario.ts';
import { newId } from '../../shared/ids.ts';

/** A scenario that the command makes of a captured call: when the engine acts as captured, and when it does not. */

const BOOKING = fileURLToPath(new URL('../../fixtures/captures/booking.capture.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-scenario-'));
const callId = newId();
let capture: Capture;
let scenario: Scenario;
beforeAll(async () => {
  copyFileSync(BOOKING, join(folder, `${callId}.capture.gz`));
  await writeScenario(folder, callId, 'booking', folder);
  ({ capture, scenario } = await readScenario(folder, 'booking'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('holds what the caller noticed, without what anybody said but the words of turn-taking', () => {
  expect(scenario.events).toEqual([
    'welcome Xxxx xxxxxxx, xxxx xx xxx xxxxxxxxxx.',
    'user.turn a xxxxx for one xxxxxx please',
    'tool.call book_table',
    'tool.result book_table 201',
    'interrupted',
    'user.turn but xxxxxxxx',
    'agent.reply Xxxxxxxxx. Xx xx xxxxxx.',
    'user.turn yes please',
    'fallback.used tts',
    'interrupted',
    'user.turn thank you goodbye',
    'agent.reply Xxxxxxxxx. Xx xx xxxxxx.',
    'call.ended caller hung up',
  ]);
  const found = JSON.stringify(capture).match(/tomorrow|window|secret-of-the-tool|"audio":"[A-Z]/);
  expect(found).toBeNull();
});

it('is played as captured by the engine of today', async () => {
  expect(await scenarioDifferences(capture, scenario)).toEqual([]);
});

it('shows line by line where an engine acts differently', async () => {
  // As an engine that wants five words before it takes speech for an interruption.
  const agent = JSON.parse(capture.head.session.agent_json);
  agent.call.interruption_min_words = 5;
  const session = { ...capture.head.session, agent_json: JSON.stringify(agent) };
  const changed = await scenarioDifferences({ ...capture, head: { ...capture.head, session } }, scenario);
  expect(changed).toEqual([
    '- interrupted',
    '- agent.reply Xxxxxxxxx. Xx xx xxxxxx.',
    '- fallback.used tts',
    '- interrupted',
    '- agent.reply Xxxxxxxxx. Xx xx xxxxxx.',
    expect.stringMatching(/^\+ agent\.reply Xx xxxx x xxxxxx xxxxx xx xxx xxxxxx, /),
  ]);
});
