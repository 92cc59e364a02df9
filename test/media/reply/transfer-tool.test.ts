import { expect, it } from 'vitest';
import { toolDefinitions } from '../../../media/reply/tools.ts';
import { summaryLanguage, writeTransferSummary } from '../../../media/reply/transfer-summary.ts';
import { parseTransferRequest, transferTool } from '../../../media/reply/transfer-tool.ts';
import type { ChatRequest, LanguageModel } from '../../../shared/llm/language-model.ts';
import { MAX_TRANSFER_SUMMARY_CHARS } from '../../../shared/transfer.ts';
import { emptyUsage } from '../../../shared/usage.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const settings = {
  transfer_enabled: true,
  transfer_targets: [
    { name: 'Sales', number: '+919800011111', description: 'prices and bills' },
    { name: 'Dr. Rao', number: '+919800022222', description: '' },
  ],
};
const call = (args: string) => ({ id: '1', name: 'transfer_call', arguments: args });

it('is offered with its targets, where the agent transfers', () => {
  const [tool] = transferTool(settings);
  expect(tool?.description).toContain('- Sales: prices and bills\n- Dr. Rao');
  expect(tool?.description).not.toContain('+91');
  expect(tool?.parameters).toMatchObject({ properties: { target: { enum: ['Sales', 'Dr. Rao'] } } });
  expect(transferTool({ ...settings, transfer_enabled: false })).toEqual([]);
  const names = toolDefinitions({ tools: [], call: settings }).map(({ name }) => name);
  expect(names).toEqual(['end_call', 'transfer_call']);
});

it('reads what the model wants', () => {
  const wish = parseTransferRequest(call('{"target":"Dr. Rao","reason":" a pain "}'), settings);
  expect(wish).toMatchObject({ name: 'Dr. Rao', number: '+919800022222', reason: 'a pain' });
});

it.each([
  '{"target":"Boss","reason":"x"}',
  '{"reason":"x"}',
  '{"target":',
  '[]',
  'null',
  '{"target":["Sales"],"reason":"x"}',
])('tells the model what is wrong with %s', (args) => {
  expect(parseTransferRequest(call(args), settings)).toBe('There is no such target. The targets are: Sales, Dr. Rao.');
});

function modelThatSays(text: string, fail = false): { model: LanguageModel; requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: LanguageModel = {
    provider: 'test',
    model: 'test',
    warm: async () => {},
    async *stream(request) {
      requests.push(request);
      yield { type: 'text', text };
      if (fail) throw new Error('broken');
      yield { type: 'usage', input_tokens: 7, output_tokens: 3 };
    },
  };
  return { model, requests };
}

async function brief(model: LanguageModel, language: string) {
  const usage = emptyUsage();
  const clock = createVirtualClock();
  const text = await writeTransferSummary({
    model,
    usage,
    clock,
    history: [{ role: 'user', text: 'my bill is wrong', interrupted: false }],
    reason: 'a wrong bill',
    language: summaryLanguage(language),
    signal: new AbortController().signal,
  });
  return { text, usage };
}

it('briefs a person in the language that is spoken on the call', async () => {
  const { model, requests } = modelThatSays('Asha  says\nher bill is wrong.');
  const { text, usage } = await brief(model, 'hi-IN');
  expect(text).toBe('Asha says her bill is wrong.');
  expect(requests[0]?.messages[0]?.content).toContain('in Hindi');
  expect(requests[0]?.messages[1]?.content).toContain('Caller: my bill is wrong');
  expect(usage).toMatchObject({ llm_calls: 1, llm_input_tokens: 7, llm_output_tokens: 3 });
});

it('is never without words, nor with too many', async () => {
  const plain = 'A caller is being put through to you. a wrong bill';
  expect((await brief(modelThatSays('  ').model, 'en')).text).toBe(plain);
  expect((await brief(modelThatSays('half a sen', true).model, 'ta')).text).toBe(plain);
  const { text } = await brief(modelThatSays('word '.repeat(500)).model, 'en');
  expect(text.length).toBeLessThanOrEqual(MAX_TRANSFER_SUMMARY_CHARS);
  expect(text.endsWith('word')).toBe(true);
});
