import { expect, it } from 'vitest';
import type { AnswerReader } from '../../../shared/llm/answer-reader.ts';
import { createAnthropicReader } from '../../../shared/llm/anthropic-events.ts';
import { createCompletionReader } from '../../../shared/llm/completion-chunks.ts';
import { createGoogleReader } from '../../../shared/llm/google-chunks.ts';

/** A call is charged by these counts, so that none may be negative, broken or without end. */
const COUNTS: [given: string, read: number][] = [
  ['7', 7],
  ['1.1', 1],
  ['-3', 0],
  ['1e400', 0],
  ['1e300', 1_000_000_000],
];

function usageOf(reader: AnswerReader, ...events: string[]) {
  for (const event of events) reader.read(event);
  return reader.usage();
}

it.each(COUNTS)('a token count of %s is read as %i', (given, read) => {
  const usage = { type: 'usage', input_tokens: read, output_tokens: read };
  const openai = `{"choices":[],"usage":{"prompt_tokens":${given},"completion_tokens":${given}}}`;
  expect(usageOf(createCompletionReader('openai'), openai)).toEqual(usage);
  const google = `{"usageMetadata":{"promptTokenCount":${given},"candidatesTokenCount":${given}}}`;
  expect(usageOf(createGoogleReader('google'), google)).toEqual(usage);
  const start = `{"type":"message_start","message":{"usage":{"input_tokens":${given}}}}`;
  const delta = `{"type":"message_delta","delta":{},"usage":{"output_tokens":${given}}}`;
  expect(usageOf(createAnthropicReader('anthropic'), start, delta)).toEqual(usage);
});
