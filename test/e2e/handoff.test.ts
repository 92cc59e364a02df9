import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCapture } from '../../bench/replay/read-capture.ts';
import { differences, timelineOf } from '../../bench/replay/timeline.ts';
import { replay, type TimelineEvent } from '../../bench/replay/virtual.ts';
import { setCaptured } from '../../control/agents/capture-setting.ts';
import { asOperator } from '../../dev/first-workspace.ts';
import { type OpenAiSimulator, type ScriptedAnswer, startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { HANDOFF_TOOL } from '../../shared/handoff.ts';
import type { ProviderUsage } from '../../shared/usage.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { say, waitForText, waitForWelcome } from '../support/conversing-caller.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { until } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** A caller is handed from one agent to another one, which has another model and another voice. */

const LAST_WORDS = 'I will ask billing.';
const QUESTION = 'Which bill is it?';
const voice = (voice_id: string) => ({ provider: 'elevenlabs', voice_id, language: 'en' });

interface WebhookEvent {
  type: string;
  data: { call: Record<string, unknown> };
}

interface Cost {
  cost_paise: number;
  cost_breakdown: { lines: { provider: string; amount_paise: number }[] };
}

const webhooks: WebhookEvent[] = [];
let captures: string;
let server: Server;
let service: Service;
let billingModel: OpenAiSimulator;

function answerOfBilling(words: string): ScriptedAnswer {
  if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
  return { text: QUESTION };
}

beforeAll(async () => {
  const folder = makeFastFolder('antiphon-handoff-');
  captures = join(folder, 'captures');
  mkdirSync(captures);
  const certificate = selfSignedCertificate('127.0.0.1');
  writeFileSync(join(folder, 'authority.pem'), certificate.cert);
  server = createServer(certificate, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      webhooks.push(JSON.parse(Buffer.concat(parts).toString()) as WebhookEvent);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  billingModel = await startOpenAiSimulator({
    flavour: 'groq',
    firstTokenMs: 50,
    answer: (messages) => answerOfBilling(String(messages.at(-1)?.content ?? '')),
  });
  service = await startService({
    transcripts: ['i have a question about my bill', 'thank you very much goodbye'],
    answer: () => ({
      text: LAST_WORDS,
      toolCalls: [{ name: HANDOFF_TOOL, arguments: { target: 'Billing', reason: 'asks about a bill' } }],
    }),
    settings: {
      GROQ_URL: billingModel.url,
      GROQ_API_KEY: billingModel.apiKey,
      FETCH_ALLOW: '127.0.0.1/32',
      CAPTURES_DIR: captures,
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    },
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  expect((await service.request('POST', '/webhooks', { url })).status).toBe(201);
});
afterAll(async () => {
  await service?.close();
  await billingModel?.close();
  server?.closeAllConnections();
  server?.close();
});

test('another agent goes on in its own voice with its own model, and the records of the call say so', async () => {
  const billing = await service.api.createAgent({
    name: 'Billing',
    welcome_message: 'Billing.',
    system_prompt: 'You know bills.',
    llm: { provider: 'groq' },
    voice: voice('billing'),
  });
  const { agentId, number } = await service.agentOn('twilio', {
    voice: voice('reception'),
    call: { handoffs: [{ agent_id: billing.id, name: 'Billing', description: 'questions about bills' }] },
  });
  await asOperator(service.stack, async (sql) => {
    const [{ workspace_id }] = await sql<[{ workspace_id: string }]>`
      select workspace_id from agents where id = ${agentId}`;
    await sql.begin((tx) => setCaptured(tx, workspace_id, agentId, true));
  });
  const url = `${service.stack.apiUrl}/carriers/twilio`;
  const from = '+919876512399';
  const incoming = service.carriers.twilio.placeInbound({
    ...{ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
  });
  const phone = await incoming.waitForPhone(60_000);
  const callId = await service.callOf(from);
  await waitForWelcome(phone);
  const question = await say(phone, 'short-two-people');
  await waitForText(phone, `${LAST_WORDS} ${QUESTION}`, question.sinceMs);
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  const { call, events } = await service.finished(callId);

  expect(call).toMatchObject({ status: 'completed', agent_id: agentId, hangup_reason: 'agent ended the call' });
  expect(call.transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'agent: Welcome.',
    'user: i have a question about my bill',
    `agent: ${LAST_WORDS}`,
    `agent: ${QUESTION}`,
    'user: thank you very much goodbye',
    'agent: Goodbye.',
  ]);
  expect(events.filter(({ type }) => type === 'agent.handoff')).toMatchObject([
    { message: 'Billing goes on', data: { agent_id: billing.id, name: 'Billing', reason: 'asks about a bill' } },
  ]);

  const spoken = (voiceId: string) =>
    service.tts.connections
      .filter((connection) => connection.voiceId === voiceId)
      .flatMap(({ contexts }) => contexts.map(({ texts }) => texts.join('').trim()))
      .filter((text) => text !== '');
  expect(spoken('reception')).toEqual(['Welcome.', LAST_WORDS]);
  expect(spoken('billing')).toEqual([QUESTION, 'Goodbye.']);
  const asked = JSON.stringify(billingModel.requests[0]?.body?.messages);
  expect(asked).toMatch(/You know bills.*question about my bill.*The reason: asks about a bill/);

  const [row] = await asOperator(
    service.stack,
    (sql) => sql<[{ handoff_agent_ids: string[]; provider_usage: ProviderUsage[] }]>`
      select handoff_agent_ids, provider_usage from calls where id = ${callId}`,
  );
  expect(row.handoff_agent_ids).toEqual([billing.id]);
  const usage = row.provider_usage.map(({ component, provider }) => `${component} ${provider}`).sort();
  expect(usage).toEqual(['llm groq', 'llm openai', 'transcriber deepgram_flux', 'voice elevenlabs']);
  const { cost_paise, cost_breakdown } = call as unknown as Cost;
  const priceOf = (provider: string) =>
    cost_breakdown.lines.filter((line) => line.provider === provider).map(({ amount_paise }) => amount_paise);
  for (const provider of ['openai', 'groq']) expect(Math.min(...priceOf(provider))).toBeGreaterThan(0);
  expect(cost_paise).toBe(Math.ceil(cost_breakdown.lines.reduce((sum, { amount_paise }) => sum + amount_paise, 0)));
  const [charged] = await asOperator(
    service.stack,
    (sql) => sql<[{ paise: number }]>`
      select -sum(amount_paise)::int as paise from ledger where call_id = ${callId}`,
  );
  expect(charged.paise).toBe(cost_paise);

  const completed = () => webhooks.filter(({ type }) => type === 'call.completed');
  await until(() => completed().length > 0, 'the webhook', 60_000);
  expect(completed()).toMatchObject([
    { data: { call: { id: callId, agent_id: agentId, cost_paise, cost_breakdown } } },
  ]);

  const path = join(captures, `${callId}.capture.gz`);
  await until(() => existsSync(path), 'the capture', 60_000);
  const capture = await readCapture(path);
  const replayed = await replay(capture);
  // What the network did lies at another place of the same moment when this machine paused.
  const conversation = (timeline: TimelineEvent[]) => timeline.filter(({ type }) => !type.startsWith('network.'));
  expect(
    differences(conversation(timelineOf(capture)), conversation(replayed.events), Number.POSITIVE_INFINITY),
  ).toEqual([]);
  expect([replayed.missing, replayed.truncated]).toEqual([[], null]);
});
