import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaptureEntry } from '../../shared/capture.ts';
import { type Redaction, redactContent } from '../../shared/capture-redaction.ts';
import { type Scenario, scenarioEvents, scenarioSpeech } from '../../shared/capture-scenario.ts';
import { copyCapture } from './capture-files.ts';
import { OperatorError } from './command.ts';

/** Where the tests look for scenarios, from the repository's root. */
export const SCENARIOS_DIR = 'test/scenarios/captured';

const NAME_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Writes the redacted capture of a finished call, and what a replay of it must show, to `to`/`name`.capture.gz and .json. Throws
 * OperatorError for a name that is no file name in kebab case, and for a capture that is missing or ends before its call.
 *
 * @returns what it must show
 */
export async function writeScenario(folder: string, callId: string, name: string, to: string): Promise<Scenario> {
  if (!NAME_PATTERN.test(name)) throw new OperatorError(`${name} is not a name like short-call`);
  let speech: Redaction | undefined;
  const timeline: Extract<CaptureEntry, { k: 'timeline_event' }>[] = [];
  await mkdir(to, { recursive: true });
  await copyCapture(folder, callId, join(to, `${name}.capture.gz`), (line) => {
    if (line.k === 'truncated') throw new OperatorError(`the capture ends before its call: ${line.reason}`);
    if (line.k === 'header') speech = scenarioSpeech(line.session.agent_json);
    const redacted = redactContent(line, speech);
    if (redacted?.k === 'timeline_event') timeline.push(redacted);
    return redacted;
  });
  const scenario: Scenario = { events: speech ? scenarioEvents(timeline, speech) : [] };
  await writeFile(join(to, `${name}.json`), `${JSON.stringify(scenario, null, 2)}\n`);
  return scenario;
}
