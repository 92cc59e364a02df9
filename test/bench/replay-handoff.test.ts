import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entriesOf } from '../../bench/replay/read-capture.ts';
import { realTimeRefusal } from '../../bench/replay/real.ts';
import { differences, differencesFromCapture, timelineOf } from '../../bench/replay/timeline.ts';
import { replay } from '../../bench/replay/virtual.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import type { CaptureEntry } from '../../shared/capture.ts';
import { redactContent } from '../../shared/capture-redaction.ts';
import { HANDOFF_TOOL } from '../../shared/handoff.ts';
import { captureSingleCall } from '../support/capture-single-call.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antiphon-handoff-capture-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const captureHandoff = (agent: object = {}) =>
  captureSingleCall(folder, ['I have a question about my bill', 'the one of last month'], {
    agent: { welcome_message: 'Good day.' },
    settings: { handoffs: [{ agent_id: 'b', name: 'Billing', first_message: 'This is billing, {customer}.' }] },
    session: { user_data_json: JSON.stringify({ customer: 'Ravi', key: 'secret', bill: 'of May' }) },
    answer: ({ tools }) =>
      tools?.some(({ name }) => name === HANDOFF_TOOL)
        ? { text: 'I will ask.', tool: HANDOFF_TOOL, toolArguments: '{"target":"Billing","reason":"a bill"}' }
        : { text: 'Which bill is it?' },
    async handoff() {
      const config = agentConfigSchema.parse({
        name: 'B',
        tools: [
          { name: 'bill', description: 'Reads the bill.', url: 'https://a.example/', headers: { key: 'secret {key}' } },
        ],
        call: { filler_phrases: ['The bill {bill}.'] },
        ...agent,
      });
      const sealed_headers = Buffer.from('sealed');
      const agent_json = JSON.stringify(config);
      return { refused: '', agent: { agent_id: 'b', agent_json, sealed_headers, paid_seconds: 300 } };
    },
  });

it('a call that another agent went on with has the same timeline when it is replayed', async () => {
  const capture = await captureHandoff();
  const captured = timelineOf(capture);
  expect(captured.map(({ message }) => message)).toContain('Billing goes on');
  const { events, missing, truncated } = await replay(capture, { vad: 'captured' });
  expect(differences(captured, events)).toEqual([]);
  expect([missing, truncated]).toEqual([[], null]);
});

it('it also has when it is redacted', async () => {
  const capture = await captureHandoff();
  const head = redactContent(capture.head);
  const entries = capture.entries.flatMap((entry) => (redactContent(entry) as CaptureEntry | null) ?? []);
  expect(JSON.stringify([head, entries])).not.toMatch(/Ravi|of May|Billing|secret/);
  const { events, missing } = await replay({ head, entries });
  expect(differencesFromCapture({ head, entries }, events)).toEqual([]);
  expect(missing).toEqual([]);
});

it('is not played in real time, where only one agent speaks', async () => {
  expect(realTimeRefusal(await captureHandoff())).toContain('handoff');
});

it('the values that only headers of the other agent use are not captured, those that it says are', async () => {
  const { head, entries } = await captureHandoff();
  const text = JSON.stringify([head, entries]);
  expect(text).not.toMatch(/secret|sealed/);
  expect(JSON.parse(head.session.user_data_json)).toEqual({ customer: 'Ravi', key: '***', bill: '***' });
  const [handoff] = entriesOf({ head, entries }, 'bus_reply');
  expect(handoff!.reply).toEqual({
    refused: '',
    agent: {
      ...{ agent_id: 'b', knowledge: null, paid_seconds: 300, user_data_json: '{"bill":"of May"}' },
      agent_json: expect.stringContaining('"headers":{"key":"***"}'),
    },
  });
});

it("the capture ends where an agent goes on whose tools are not the service's", async () => {
  const servers = [{ name: 'crm', url: 'https://a.example/', headers: {} }];
  const capture = await captureHandoff({ mcp_servers: servers });
  expect(entriesOf(capture, 'bus_reply')).toEqual([]);
  expect(entriesOf(capture, 'truncated')).toMatchObject([{ reason: expect.stringContaining('cannot be replayed') }]);
});
