import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyseCall } from '../../../control/analysis/analyse-call.ts';
import { createAnalyst, type ModelRun } from '../../../control/analysis/analyst.ts';
import { findCallbackRequest } from '../../../control/analysis/callback-request.ts';
import { readControlConfig } from '../../../control/config.ts';
import { answerBooking } from '../../../fixtures/conversations/booking.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';

/** What the script that stands for a model without a key makes of a finished call. */

const CALL = {
  transcript: [
    { role: 'agent' as const, text: 'How can I help you?' },
    { role: 'user' as const, text: 'a table for two people' },
    { role: 'user' as const, text: 'tomorrow at seven in the evening' },
  ],
  started_at_ms: 0,
  timezone: 'Asia/Kolkata',
};
const { signal } = new AbortController();

let script: OpenAiSimulator;
let run: ModelRun;

beforeAll(async () => {
  script = await startOpenAiSimulator({ answer: answerBooking, firstTokenMs: 1, tokenIntervalMs: 0 });
  const settings = readControlConfig({
    ...{ DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: 'x' },
    ...{ LLM_BASE_URL: script.url, LLM_API_KEY: script.apiKey },
  });
  const analyst = createAnalyst({ settings, clock: systemClock, log: createLogger('control', 'silent') });
  run = analyst.open([{ provider: 'custom', model: 'gpt-4.1-mini' }]);
});
afterAll(() => script.close());

describe('the script without a key', () => {
  it('summarizes a call, says that it is a script, and extracts nothing', async () => {
    const { analytics } = agentConfigSchema.parse({
      name: 'A',
      analytics: { summarize: true, extractions: [{ key: 'mood', label: 'Mood', type: 'text' }] },
    });
    expect(await analyseCall(run, analytics, CALL, signal)).toEqual({
      summary:
        'The user asked for a table for two people, tomorrow, at seven in the evening. Written by a script, because no key of a language model is set.',
      extracted: { mood: null },
      failed: null,
    });
  });

  it('finds no request for a call back', async () => {
    expect(await findCallbackRequest(run, CALL, signal)).toEqual({ value: null });
  });
});
