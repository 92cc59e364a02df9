import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type JudgedCase, measureAgreement } from '../control/agent-tests/judge-agreement.ts';
import { readTestModel } from '../control/agent-tests/test-model.ts';
import type { TestItem } from '../control/agent-tests/test-transcript.ts';
import { createAnalyst } from '../control/analysis/analyst.ts';
import { JUDGED_CALLS } from '../fixtures/conversations/judged-calls.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnv } from '../shared/env.ts';
import { createLogger } from '../shared/log.ts';
import { LANGUAGE_MODEL_SETTINGS } from '../shared/providers/settings.ts';

/**
 * How often the judge of agent tests agrees with itself: `AGENT_TEST_MODEL=openai/gpt-4.1 OPENAI_API_KEY=… node
 * bench/judge-agreement.ts --times 10`. Judges the conversations of `fixtures/conversations/judged-calls.ts` so many times with
 * the model, as runs are judged. The last line of output is JSON.
 */

const { times } = parseArgs({ options: { times: { type: 'string', default: '5' } } }).values;
const settings = readEnv(
  z.object({ ...LANGUAGE_MODEL_SETTINGS, AGENT_TEST_MODEL: z.string().min(1), COMPOSER_MODEL: z.string().default('') }),
  process.env,
);
const model = readTestModel(settings)!;
const started_at_ms = Date.UTC(2026, 0, 5, 6, 30);

const cases = JUDGED_CALLS.map(({ name, lines, criteria, ending }): JudgedCase => {
  const transcript = lines.map((line, index): TestItem => {
    const at_ms = started_at_ms + index * 4_000;
    if (line[0] === 'tool') return { role: 'tool', name: line[1], args: {}, result: line[2], at_ms };
    return { role: line[0], text: line[1], at_ms, interrupted: false };
  });
  return { name, criteria, conversation: { transcript, ending, started_at_ms, timezone: 'Asia/Kolkata' } };
});
const analyst = createAnalyst({ settings, clock: systemClock, log: createLogger('control', 'silent') });
const agreement = await measureAgreement(
  cases,
  Number(times),
  () => analyst.open([model]),
  new AbortController().signal,
);

const { criteria, unanimous, pairwise, failed, divided } = agreement;
const percent = pairwise === null ? 'no figure' : `${Math.round(pairwise * 1_000) / 10} %`;
console.log(`${model.provider}/${model.model} judged ${criteria} criteria ${times} times each`);
console.log(`two judgements of a criterion agree: ${percent}; always the same verdict: ${unanimous} of ${criteria}`);
for (const each of divided) console.log(`  ${each.name}: "${each.criterion}" met ${each.passed} of ${each.of} times`);
if (failed.length > 0) console.log(`${failed.length} judgements failed: ${[...new Set(failed)].join(', ')}`);
console.log(JSON.stringify({ model: `${model.provider}/${model.model}`, times: Number(times), ...agreement }));
process.exit(pairwise === null ? 1 : 0);
