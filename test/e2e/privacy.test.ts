import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setCaptured } from '../../control/agents/capture-setting.ts';
import { asOperator } from '../../dev/first-workspace.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { LOUD } from '../../fixtures/simulators/carrier-playback.ts';
import type { ScriptedAnswer } from '../../fixtures/simulators/openai.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { readWav } from '../../media/audio/wav.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { say, waitForEvents, waitForText, waitForWelcome } from '../support/conversing-caller.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** What is kept of whole calls whose agents redact numbers, pause the recording, or say first that there is one. */

const CARD = '4539148803436467';
const CARD_ENDS = 'Paid with the card that ends in 6467.';
/** The card in any of the ways in which it was said, written or sent. */
const ANY_PART_OF_CARD =
  /4539[^0-9a-f]{0,3}1488|0343[^0-9a-f]{0,3}6467|four five three nine|one four eight eight|zero three four three|six four six seven|in 6467/i;
const NOTICE = 'This call is recorded so that we can serve you better';
/** Milliseconds of a letter of the simulated synthesizer, less what may be a pause; samples of one. */
const NOTICE_SAMPLES = NOTICE.replaceAll(' ', '').length * 65 * 0.85 * 8;

/** The caller's transcripts; each test sets its own. */
const transcripts: string[] = [];
const webhooks: string[] = [];
const toolArguments: string[] = [];
let folder: string;
let server: Server;
let origin: string;
let service: Service;
let callers = 0;

function answer(words: string, role: string | undefined): ScriptedAnswer {
  if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
  if (role === 'tool') return { text: words.includes('recording') ? 'Go ahead then.' : CARD_ENDS };
  if (words.includes('six four six seven')) return { toolCalls: [{ name: 'pay', arguments: { card: CARD } }] };
  if (words.includes('pause')) return { toolCalls: [{ name: 'pause_recording', arguments: {} }] };
  if (words.includes('resume')) return { toolCalls: [{ name: 'resume_recording', arguments: {} }] };
  return { text: 'Please go on.' };
}

beforeAll(async () => {
  folder = makeFastFolder('antiphon-privacy-');
  const certificate = selfSignedCertificate('127.0.0.1');
  writeFileSync(join(folder, 'authority.pem'), certificate.cert);
  server = createServer(certificate, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const isTool = request.url === '/pay';
      (isTool ? toolArguments : webhooks).push(Buffer.concat(parts).toString());
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(isTool ? `{"paid":true,"card":"${CARD}"}` : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startService({
    transcripts,
    answer: (words, messages) => answer(words, messages.at(-1)?.role),
    settings: {
      FETCH_ALLOW: '127.0.0.1/32',
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
      CAPTURES_DIR: join(folder, 'captures'),
      LOG_LEVEL: 'debug',
    },
  });
  expect((await service.request('POST', '/webhooks', { url: `${origin}/events` })).status).toBe(201);
});
afterAll(async () => {
  await service?.close();
  server?.closeAllConnections();
  server?.close();
});

/** A call to an agent whose calls are to be captured. */
async function callIn(config: object, said: string[]): Promise<{ phone: Phone; callId: string }> {
  transcripts.splice(0, transcripts.length, ...said);
  const { number, agentId } = await service.agentOn('twilio', config);
  await asOperator(service.stack, async (sql) => {
    const [agent] = await sql<{ workspace_id: string }[]>`select workspace_id from agents where id = ${agentId}`;
    await sql.begin((tx) => setCaptured(tx, agent!.workspace_id, agentId, true));
  });
  const from = `+91987652${String(callers++).padStart(4, '0')}`;
  const url = `${service.stack.apiUrl}/carriers/twilio`;
  const incoming = service.carriers.twilio.placeInbound({
    ...{ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
  });
  const phone = await incoming.waitForPhone(60_000);
  return { phone, callId: await service.callOf(from) };
}

/** Every text of every table, in JSON. */
async function databaseTexts(): Promise<string[]> {
  return asOperator(service.stack, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ text: string }[]>(`select to_jsonb(t)::text as text from "${name}" t`);
      texts.push(...rows.map(({ text }) => `${name}: ${text}`));
    }
    return texts;
  });
}

/** Every file below a folder, as text. */
function fileTexts(below: string): string[] {
  const files = readdirSync(below, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => `${name}: ${readFileSync(join(parentPath, name)).toString('latin1')}`);
}

const withCard = (texts: readonly string[]) => texts.filter((text) => ANY_PART_OF_CARD.test(text));

/** The caller's and the agent's side of the recording. */
async function sidesOf(callId: string): Promise<[Int16Array, Int16Array]> {
  const { wav } = readWav((await service.api.recording(callId))!) as unknown as { wav: { channels: Int16Array[] } };
  return [wav.channels[0]!, wav.channels[1]!];
}

const loudest = (samples: Int16Array, from: number, to: number) =>
  samples.subarray(from, to).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
const firstLoud = (samples: Int16Array) => samples.findIndex((sample) => Math.abs(sample) >= LOUD);

test('a card number dictated in two turns reaches the tool, and is stored nowhere', async () => {
  const { phone, callId } = await callIn(
    {
      call: { redact_cards: true },
      tools: [{ name: 'pay', description: 'Pays by card.', url: `${origin}/pay`, parameters: { type: 'object' } }],
    },
    [
      'my card is four five three nine one four eight eight',
      'zero three four three six four six seven',
      'thank you very much goodbye',
    ],
  );
  await waitForWelcome(phone);
  const first = await say(phone, 'short-two-people');
  await waitForText(phone, 'Please go on.', first.sinceMs);
  const second = await say(phone, 'short-two-people');
  await waitForText(phone, CARD_ENDS, second.sinceMs);
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  const { call, events } = await service.finished(callId);

  expect(toolArguments.map((body) => JSON.parse(body) as unknown)).toEqual([{ card: CARD }]);
  expect(call.transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'agent: Welcome.',
    'user: my card is [card number]',
    'agent: Please go on.',
    'user: [card number]',
    expect.stringMatching(/^agent: Paid with the card that ends in \[/),
    'user: thank you very much goodbye',
    'agent: Goodbye.',
  ]);
  expect(events.map(({ type }) => type)).toContain('tool.result');
  await expect.poll(() => webhooks.some((body) => body.includes('call.completed')), { timeout: 60_000 }).toBe(true);

  const database = await databaseTexts();
  expect(database.filter((text) => text.includes('my card is [card number]')).length).toBeGreaterThan(0);
  expect(withCard(database)).toEqual([]);
  expect(withCard(webhooks)).toEqual([]);
  const { home } = service.stack;
  expect(fileTexts(home.nats).filter((text) => text.includes('my card is [card number]')).length).toBeGreaterThan(0);
  expect(readdirSync(join(folder, 'captures'))).toEqual([]);
  for (const files of [home.nats, join(home.dir, 'logs'), folder]) expect(withCard(fileTexts(files))).toEqual([]);
});

test("a recording is silent on both sides while the agent's tools or a member paused it, and goes on by itself", async () => {
  const { phone, callId } = await callIn(
    { call: { recording_pause: true, recording_pause_seconds: 10, hangup_after_silence_seconds: 120 } },
    ['please pause it', 'something secret', 'please resume', 'something else', 'thank you very much goodbye'],
  );
  await waitForWelcome(phone);
  const before = await say(phone, 'short-two-people');
  await waitForText(phone, 'Go ahead then.', before.sinceMs);
  const secret = await say(phone, 'short-two-people');
  await waitForText(phone, 'Please go on.', secret.sinceMs);
  const resume = await say(phone, 'short-two-people');
  await waitForText(phone, 'Go ahead then.', resume.sinceMs);

  const paused = await service.request('POST', `/calls/${callId}/recording/pause`);
  expect([paused.status, await paused.json()]).toEqual([200, { paused: true }]);
  const other = await say(phone, 'short-two-people');
  await waitForEvents(service, callId, 'recording.resumed', 2);
  const goodbye = await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  const { events } = await service.finished(callId);

  const ordered = events.filter(({ type }) => type.startsWith('recording.'));
  expect(ordered.map(({ type, data }) => `${type} by ${String(data.by)}`)).toEqual([
    'recording.paused by agent',
    'recording.resumed by agent',
    'recording.paused by member',
    'recording.resumed by service',
  ]);
  const [caller, agent] = await sidesOf(callId);
  const utterance = loadSpeech('short-two-people').samples.length;
  for (const side of [caller, agent]) {
    expect(loudest(side, secret.sample, resume.sample)).toBe(0);
    expect(loudest(side, other.sample, other.sample + utterance)).toBe(0);
  }
  expect(loudest(caller, before.sample, before.sample + utterance)).toBeGreaterThan(LOUD);
  expect(loudest(caller, goodbye.sample, caller.length)).toBeGreaterThan(LOUD);
  expect(loudest(agent, resume.sample + utterance, other.sample)).toBeGreaterThan(LOUD);
  expect(Math.abs(caller.length - phone.spokenSamples)).toBeLessThan(2 * 8_000);
});

test('a recording begins after its notice, which the caller does not stop', async () => {
  const { phone, callId } = await callIn({ call: { recording_notice: NOTICE } }, [
    'wait stop i want a table',
    'thank you very much goodbye',
  ]);
  await phone.waitForAgentSpeech(60_000, 0);
  const during = await say(phone, 'right');
  await waitForEvents(service, callId, 'agent.reply');
  await phone.waitForAgentSilence(400, 60_000);
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  const { call, events } = await service.finished(callId);

  expect(call.transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    `agent: ${NOTICE}`,
    'agent: Welcome.',
    'user: wait stop i want a table',
    'agent: Please go on.',
    'user: thank you very much goodbye',
    'agent: Goodbye.',
  ]);
  expect(events.find(({ type }) => type === 'recording.notice')?.data).toEqual({ completed: true });
  const [caller, agent] = await sidesOf(callId);
  expect(loudest(caller, 0, during.sample + loadSpeech('right').samples.length)).toBe(0);
  expect(firstLoud(agent)).toBeGreaterThan(firstLoud(phone.played) + NOTICE_SAMPLES);
  expect(firstLoud(caller)).toBeGreaterThan(during.sample);
  expect(Math.abs(caller.length - phone.spokenSamples)).toBeLessThan(2 * 8_000);
  // Only calls of agents that redact are not captured.
  expect(readdirSync(join(folder, 'captures')).filter((name) => name.startsWith(callId))).toHaveLength(1);
});

test('of a call that ended in the notice nothing was recorded', async () => {
  const { phone, callId } = await callIn({ call: { recording_notice: NOTICE } }, []);
  await phone.waitForAgentSpeech(60_000, 0);
  phone.hangUp();
  const { call, events } = await service.finished(callId);
  expect(events.find(({ type }) => type === 'recording.notice')?.data).toEqual({ completed: false });
  expect(call.recorded).toBe(false);
  expect(await service.api.recording(callId)).toBeNull();
  expect(fileTexts(service.stack.recordingsDir).filter((text) => text.includes(callId))).toEqual([]);
});
