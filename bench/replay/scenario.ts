import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Scenario, scenarioEvents, scenarioSpeech } from '../../shared/capture-scenario.ts';
import { type Capture, readCapture } from './read-capture.ts';
import { lineDifferences } from './timeline.ts';
import { replay } from './virtual.ts';

/** Reads the two files of a scenario. */
export async function readScenario(folder: string, name: string): Promise<{ capture: Capture; scenario: Scenario }> {
  const capture = await readCapture(join(folder, `${name}.capture.gz`));
  const scenario: Scenario = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
  return { capture, scenario };
}

/**
 * Replays a scenario through the current engine on the virtual clock. Returns the lines in which it shows something else, as a diff:
 * `- ` what it must show, `+ ` what it showed, then what the engine asked for that is not in the capture; empty when it is as it must.
 */
export async function scenarioDifferences(capture: Capture, { events }: Scenario): Promise<string[]> {
  const replayed = await replay(capture);
  const shown = scenarioEvents(replayed.events, scenarioSpeech(capture.head.session.agent_json));
  const changed = lineDifferences(events, shown);
  return changed.length === 0 ? [] : [...changed, ...replayed.missing.map((what) => `not in the capture: ${what}`)];
}
