import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { systemClock } from '../../../shared/clock.ts';
import { readEnv } from '../../../shared/env.ts';
import { createLogger } from '../../../shared/log.ts';
import { LANGUAGE_MODEL_SETTINGS } from '../../../shared/providers/settings.ts';
import { judge } from '../../agent-tests/judge.ts';
import { readTestModel } from '../../agent-tests/test-model.ts';
import { createAnalyst, type ModelRun } from '../../analysis/analyst.ts';
import { OperatorError } from '../command.ts';
import { type EvaluatedCall, judgedItems } from './read-calls.ts';

/** Criteria that a model decides for each call, as for agent tests. */

export interface JudgedCriterion {
  text: string;
  passed: number;
  /** Calls that were judged. */
  of: number;
}

export interface JudgedCalls {
  criteria: JudgedCriterion[];
  /** Calls without a judgement, because the model failed. */
  failed: number;
}

const MAX_CRITERIA = 20;
const MAX_CRITERION_CHARACTERS = 500;
const TIMEOUT_MS = 120_000;

/** One criterion a line. @throws OperatorError */
export function readCriteria(file: string): string[] {
  const criteria = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const fits = criteria.every(({ length }) => length <= MAX_CRITERION_CHARACTERS);
  if (criteria.length === 0 || criteria.length > MAX_CRITERIA || !fits) {
    throw new OperatorError(
      `${file} has 1 to ${MAX_CRITERIA} lines, a criterion of at most ${MAX_CRITERION_CHARACTERS} characters each`,
    );
  }
  return criteria;
}

/** Opens AGENT_TEST_MODEL. @throws OperatorError without it. */
export function openJudge(): ModelRun {
  const settings = readEnv(
    z.object({
      ...LANGUAGE_MODEL_SETTINGS,
      AGENT_TEST_MODEL: z.string().default(''),
      COMPOSER_MODEL: z.string().default(''),
    }),
  );
  const model = readTestModel(settings);
  if (!model) throw new OperatorError('AGENT_TEST_MODEL is missing: the model that judges, as provider/model');
  return createAnalyst({ settings, clock: systemClock, log: createLogger('control', 'silent') }).open([model]);
}

/** Judges the calls in which something was said, one after the other. */
export async function judgeCalls(
  run: ModelRun,
  criteria: readonly string[],
  calls: readonly EvaluatedCall[],
  onProgress: (line: string) => void = () => {},
): Promise<JudgedCalls> {
  const passed = criteria.map(() => 0);
  let [judged, failed] = [0, 0];
  const spoken = calls.filter(({ transcript }) => transcript.length > 0);
  for (const [at, call] of spoken.entries()) {
    const conversation = {
      transcript: judgedItems(call),
      ending: call.hangup_reason,
      started_at_ms: call.started_at.getTime(),
      timezone: 'UTC',
      recorded: true,
    };
    const judgement = await judge(run, criteria, conversation, AbortSignal.timeout(TIMEOUT_MS));
    if ('failed' in judgement) failed++;
    else {
      judged++;
      for (const [nth, verdict] of judgement.verdicts.entries()) passed[nth]! += Number(verdict.passed);
    }
    onProgress(`${at + 1} of ${spoken.length} calls judged`);
  }
  return { criteria: criteria.map((text, nth) => ({ text, passed: passed[nth]!, of: judged })), failed };
}
