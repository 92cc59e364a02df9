import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddingsSimulator, startEmbeddingsSimulator } from '../../fixtures/simulators/embeddings.ts';
import { say, waitForEvents, waitForWelcome } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

const FACT = 'Guests leave their cars behind the house for 300 rupees a night.';
const QUESTION = 'what does your garage cost';
/** More than fits inline in a prompt. */
const MENU = Array.from(
  { length: 90 },
  (_, n) => `Dish number ${n} of the menu is cooked slowly over an open fire, with rice.`,
);

let service: Service;
let embeddings: EmbeddingsSimulator;

beforeAll(async () => {
  // The question shares no word with the fact; only the semantic search finds it.
  const synonyms = [['garage', 'cars', 'guests', 'house', 'behind']];
  // In few dimensions words that have nothing to do with each other are similar by chance.
  embeddings = await startEmbeddingsSimulator({ synonyms, dimensions: 512 });
  service = await startService({
    transcripts: [QUESTION, 'thank you very much goodbye'],
    settings: {
      EMBEDDINGS_URL: embeddings.url,
      EMBEDDINGS_API_KEY: embeddings.apiKey,
      EMBEDDINGS_MODEL: 'simulated',
      // The test needs the right reply, not a fast one.
      KNOWLEDGE_DEADLINE_MS: '20000',
    },
    answer(words, messages) {
      if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      const known = messages.some(({ role, content }) => role === 'system' && String(content).includes(FACT));
      return { text: known ? 'It is three hundred rupees.' : 'I do not know.' };
    },
  });
});
afterAll(async () => {
  await service?.close();
  await embeddings?.close();
});

/** Creates a knowledge base of these texts and waits until it is processed. */
async function baseOf(texts: Record<string, string>): Promise<string> {
  const made = (await (await service.request('POST', '/knowledge-bases', { name: 'House' })).json()) as { id: string };
  for (const [name, text] of Object.entries(texts)) {
    const added = await service.request('POST', `/knowledge-bases/${made.id}/sources/text`, { name, text });
    expect(added.status).toBe(201);
  }
  await eventually('the sources to be processed', 60_000, async () => {
    const base = (await (await service.request('GET', `/knowledge-bases/${made.id}`)).json()) as { status: string };
    return base.status === 'ready' ? base : null;
  });
  return made.id;
}

async function callAbout(carrier: 'twilio' | 'plivo', base: string, from: string) {
  const { number } = await service.agentOn(carrier, { knowledge_base_ids: [base] });
  const url = `${service.stack.apiUrl}/carriers/${carrier}`;
  const incoming = service.carriers[carrier].placeInbound({
    ...{ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
  });
  const phone = await incoming.waitForPhone(60_000);
  const callId = await service.callOf(from);
  await waitForWelcome(phone);
  await say(phone, 'short-two-people');
  await waitForEvents(service, callId, 'agent.reply');
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  await incoming.delivered();
  const { call, events } = await service.finished(callId);
  return { lines: call.transcript.map(({ role, text }) => `${role}: ${text}`), events };
}

const LINES = [
  'agent: Welcome.',
  `user: ${QUESTION}`,
  'agent: It is three hundred rupees.',
  'user: thank you very much goodbye',
  'agent: Goodbye.',
];

test('a paraphrased question is answered from a long knowledge base', async () => {
  const base = await baseOf({ Menu: MENU.join(' '), Garage: FACT });
  const { lines, events } = await callAbout('twilio', base, '+919876543501');
  expect(lines).toEqual(LINES);
  const searches = events.filter((event) => event.type === 'kb.search');
  expect(searches).toHaveLength(1);
  expect(searches[0]).toMatchObject({
    level: 'info',
    data: {
      query: QUESTION,
      embed_ms: expect.any(Number),
      search_ms: expect.any(Number),
      top: expect.arrayContaining([{ source: 'Garage', score: expect.any(Number), keyword_match: false }]),
      error: '',
    },
  });
  expect(events.some((event) => event.type === 'kb.inline')).toBe(false);
});

test('the content of a short one is in the prompt', async () => {
  const base = await baseOf({ Garage: FACT });
  const { lines, events } = await callAbout('plivo', base, '+919876543502');
  expect(lines).toEqual(LINES);
  const inline = events.filter((event) => event.type === 'kb.inline');
  expect(inline).toHaveLength(1);
  expect(inline[0]!.data).toEqual({ characters: `Garage:\n${FACT}`.length });
  expect(events.some((event) => event.type === 'kb.search')).toBe(false);
});
