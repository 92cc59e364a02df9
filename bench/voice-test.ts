import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { firstWorkspace } from '../dev/first-workspace.ts';
import { startStack } from '../dev/stack.ts';
import { BOOKING_AGENT, bookTableTool } from '../fixtures/conversations/booking.ts';
import { answerBookingTest, BOOKING_SCENARIO } from '../fixtures/conversations/booking-test-caller.ts';
import { startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { judgeByRule } from '../test/control/agent-tests/scripted-models.ts';

/**
 * Runs an agent test aloud against the agent of `make demo`: PostgreSQL, NATS and both programs as processes, the transcriber and
 * the synthesizer of this machine, and without OPENAI_API_KEY a script in place of the models. The last line of output is JSON.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    noise: { type: 'string', default: 'office' },
    interruptions: { type: 'string', default: '1' },
  },
});
const LANGUAGE_MODELS = fileURLToPath(new URL('../fixtures/language-models', import.meta.url));
const closing: (() => Promise<unknown>)[] = [];

interface Run {
  id: string;
  status: string;
  error: string;
  transcript: {
    role: string;
    text?: string;
    transcribed?: string;
    name?: string;
    result?: string;
    interrupted?: boolean;
  }[];
  criteria: { text: string; passed: boolean; quote: string }[];
  voice: Record<string, number | string | null> | null;
  recording_url: string | null;
  cost_paise: number;
}

async function main(): Promise<Run[]> {
  const home = mkdtempSync(join(tmpdir(), 'antiphon-voice-test-'));
  closing.push(async () => rmSync(home, { recursive: true, force: true }));
  const script = process.env.OPENAI_API_KEY
    ? null
    : await startOpenAiSimulator({ answer: answerBookingTest(judgeByRule) });
  if (script) closing.push(() => script.close());
  const stack = await startStack({
    ...{ home, apiPort: 0, mediaPort: 0, signal: new AbortController().signal },
    settings: () => ({
      LANGUAGE_MODELS_DIR: LANGUAGE_MODELS,
      ...(script && { OPENAI_BASE_URL: script.url, OPENAI_API_KEY: script.apiKey }),
    }),
    onProgress: (line) => console.log(`starting ${line}`),
  });
  closing.push(() => stack.stop());
  const { api_key } = await firstWorkspace(stack, 'Voice test');

  async function send<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${stack.apiUrl}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': api_key, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }

  const agent = await send<{ id: string }>('POST', '/agents', {
    ...BOOKING_AGENT,
    tools: [bookTableTool('https://restaurant.example/')],
    llm: { provider: 'openai' },
    voice: { provider: 'local', voice_id: 'en', language: 'en' },
    transcriber: { provider: 'local', model: 'booking', language: 'en', endpointing_ms: 600 },
  });
  const scenario = await send<{ id: string }>('POST', `/agents/${agent.id}/tests`, BOOKING_SCENARIO);
  const runs: Run[] = [];
  for (let count = 0; count < Number(values.runs); count++) {
    const { id } = await send<Run>('POST', `/agents/${agent.id}/tests/${scenario.id}/runs`, {
      ...{ mode: 'voice', background_noise: values.noise, interruptions: Number(values.interruptions) },
    });
    for (;;) {
      const run = await send<Run>('GET', `/test-runs/${id}`);
      if (!['queued', 'running'].includes(run.status)) {
        runs.push(run);
        print(run);
        break;
      }
      await sleep(500);
    }
  }
  return runs;
}

function print({ status, error, transcript, criteria, voice, recording_url }: Run): void {
  console.log(`\n${status} ${error}`);
  for (const item of transcript) {
    if (item.role === 'tool') console.log(`  tool   ${item.name}: ${item.result}`);
    else {
      const more = [
        ...(item.interrupted ? ['interrupted'] : []),
        ...(item.transcribed === undefined ? [] : [`transcribed: ${item.transcribed}`]),
      ];
      console.log(`  ${item.role.padEnd(6)} ${item.text}${more.length > 0 ? `  (${more.join(', ')})` : ''}`);
    }
  }
  for (const { text, passed, quote } of criteria)
    console.log(`  ${passed ? 'met    ' : 'not met'} ${text}  "${quote}"`);
  for (const [name, value] of Object.entries(voice ?? {})) console.log(`  ${name.padEnd(22)} ${value}`);
  console.log(`  ${'recording_url'.padEnd(22)} ${recording_url}`);
}

let runs: Run[] = [];
try {
  runs = await main();
} finally {
  for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(error));
}
console.log(JSON.stringify(runs.map(({ status, voice, cost_paise }) => ({ status, cost_paise, ...voice }))));
process.exit(runs.every(({ status }) => status === 'passed') ? 0 : 1);
