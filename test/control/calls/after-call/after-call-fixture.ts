import { createAnalyst } from '../../../../control/analysis/analyst.ts';
import {
  type AfterCallDeps,
  type AfterCallTimes,
  startAfterCallWorker,
} from '../../../../control/calls/after-call/after-call-worker.ts';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { readControlConfig } from '../../../../control/config.ts';
import { contentText, startOpenAiSimulator } from '../../../../fixtures/simulators/openai.ts';
import type { AgentInput } from '../../../../shared/agent.ts';
import type { CallEvent } from '../../../../shared/bus/messages.ts';
import { newId } from '../../../../shared/ids.ts';
import { afterFile } from '../../../support/after-file.ts';
import { eventually } from '../../../support/until.ts';
import { type CallFixture, delivered, log, mediaEvent, type Tenant, wholeCall } from '../call-fixture.ts';

export type QuestionKind = 'analytics' | 'own' | 'call back' | 'guardrails';

/** The simulated model's answer to each kind of question; a function gets the prompt. */
export type Answers = Partial<Record<QuestionKind, string | ((shown: string) => string)>>;

/** Finished calls, a simulated language model over HTTP, and after-call workers. */
export async function createAfterCallFixture(fixture: CallFixture) {
  const model = { answers: {} as Answers };
  const asked: QuestionKind[] = [];
  const simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    answer(messages) {
      const instructions = contentText(messages[0]!);
      const kind = kindOf(instructions);
      asked.push(kind);
      const answer = model.answers[kind] ?? 'I would rather not.';
      return { text: typeof answer === 'string' ? answer : answer(contentText(messages[1]!)) };
    },
  });
  const config = readControlConfig({
    DATABASE_URL: fixture.url,
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    RECORDINGS_DIR: '/nowhere',
    OPENAI_BASE_URL: simulator.url,
    OPENAI_API_KEY: simulator.apiKey,
  });
  const analyst = createAnalyst({ settings: config, clock: fixture.clock, log });
  const workers: { stop(): Promise<void> }[] = [];
  const lines: string[] = [];
  afterFile(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await simulator.close();
  });

  return {
    simulator,
    analyst,
    asked,
    lines,
    said: model,

    work(times: Partial<AfterCallTimes> = {}, more: Partial<AfterCallDeps> = {}) {
      const worker = startAfterCallWorker({
        ...{ sql: fixture.sql, clock: fixture.clock, log, analyst, guardrailModel: null },
        writeJobLog: ({ message }) => lines.push(message),
        times: { interval_ms: 20, ...times },
        ...more,
      });
      workers.push(worker);
      return worker;
    },

    /** A call with these lines, as reported by its engine: `ended`, or completed. */
    async talked(tenant: Tenant, lines: string[] = TALK): Promise<CallRow> {
      const call = await fixture.opened(tenant);
      const spoken = lines.map((line, index): CallEvent => {
        const [role, text] = line.split(': ') as ['user' | 'agent', string];
        const transcript = [{ role, text, at_ms: Date.now(), interrupted: false }];
        return mediaEvent(call.id, index + 2, role === 'user' ? 'user.turn' : 'agent.reply', { transcript });
      });
      const [started, ...rest] = wholeCall(call.id);
      const ended = { ...rest.at(-1)!, seq: lines.length + 2 };
      await ingest(
        { sql: fixture.sql, clock: fixture.clock, log },
        [started!, ...spoken, ended].map((event) => delivered(event)),
      );
      return fixture.read(call.id);
    },

    completed: ({ id }: Pick<CallRow, 'id'>): Promise<CallRow> =>
      eventually('the call is complete', 60_000, async () => {
        const call = await fixture.read(id);
        return call.status === 'completed' ? call : null;
      }),

    async event(call: Pick<CallRow, 'workspace_id' | 'id'>, type: string) {
      return (await fixture.timeline(call)).find((each) => each.type === type);
    },

    async rule(fields: Record<string, unknown> = {}): Promise<string> {
      const id = newId();
      const row = {
        ...{ id, name: 'No threats', description: 'The agent never threatens.', category: 'abuse' },
        ...{ severity: 'violation', strikes: 2, updated_at: new Date() },
        ...fields,
      };
      await fixture.sql`insert into guardrail_rules ${fixture.sql(row)}`;
      return id;
    },
  };
}

const TALK = ['agent: Hello', 'user: I want two shoes', 'agent: Gladly'];

/** Analytics with a summary and extractions. */
export const ANALYTICS: AgentInput['analytics'] = {
  summarize: true,
  extractions: [
    { key: 'pairs', type: 'number' },
    { key: 'wants', type: 'text' },
  ],
};
export const FOUND = JSON.stringify({ summary: 'Wants two shoes.', extracted: { pairs: '2', wants: 'shoes' } });

function kindOf(instructions: string): QuestionKind {
  if (instructions.includes('broke one of these rules')) return 'guardrails';
  if (instructions.includes('ask to be called back')) return 'call back';
  return instructions.includes('The business asks for this') ? 'own' : 'analytics';
}
