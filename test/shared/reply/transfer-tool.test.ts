import { expect, it } from 'vitest';
import { summaryLanguage, writeTransferSummary } from '../../../media/reply/transfer-summary.ts';
import type { ChatRequest, LanguageModel } from '../../../shared/llm/language-model.ts';
import { toolDefinitions } from '../../../shared/reply/tools.ts';
import { parseTransferRequest, transferTool } from '../../../shared/reply/transfer-tool.ts';
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

it('the tool is offered with its targets where the agent transfers', () => {
  const [tool] = transferTool(settings);
  expect(tool?.description).toContain('- Sales: prices and bills\n- Dr. Rao');
  expect(tool?.description).not.toContain('+91');
  expect(tool?.parameters).toMatchObject({ properties: { target: { enum: ['Sales', 'Dr. Rao'] } } });
  expect(transferTool({ ...settings, transfer_enabled: false })).toEqual([]);
  const names = toolDefinitions({ tools: [], call: settings }).map(({ name }) => name);
  expect(names).toEqual(['end_call', 'transfer_call']);
});

it("the model's request is parsed", () => {
  const request = parseTransferRequest(call('{"target":"Dr. Rao","reason":" a pain "}'), settings);
  expect(request).toMatchObject({ name: 'Dr. Rao', number: '+919800022222', reason: 'a pain' });
});

it.each([
  '{"target":"Boss","reason":"x"}',
  '{"reason":"x"}',
  '{"target":',
  '[]',
  'null',
  '{"target":["Sales"],"reason":"x"}',
])('the model gets the reason when %s is wrong', (args) => {
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

async function summaryBy(model: LanguageModel, language: string) {
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

it('the summary is in the language of the call', async () => {
  const { model, requests } = modelThatSays('Asha  says\nher bill is wrong.');
  const { text, usage } = await summaryBy(model, 'hi-IN');
  expect(text).toBe('Asha says her bill is wrong.');
  expect(requests[0]?.messages[0]?.content).toContain('in Hindi');
  expect(requests[0]?.messages[1]?.content).toContain('Caller: my bill is wrong');
  expect(usage).toMatchObject({ llm_calls: 1, llm_input_tokens: 7, llm_output_tokens: 3 });
});

it('the summary is never empty and never too long', async () => {
  const fallback = 'A caller is being put through to you. a wrong bill';
  expect((await summaryBy(modelThatSays('  ').model, 'en')).text).toBe(fallback);
  expect((await summaryBy(modelThatSays('half a sen', true).model, 'ta')).text).toBe(fallback);
  const { text } = await summaryBy(modelThatSays('word '.repeat(500)).model, 'en');
  expect(text.length).toBeLessThanOrEqual(MAX_TRANSFER_SUMMARY_CHARS);
  expect(text.endsWith('word')).toBe(true);
});
