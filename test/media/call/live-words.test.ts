import { expect, test } from 'vitest';
import type { LiveTranscriptLine } from '../../../media/leg/leg.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** The words that a browser shows during a call, against what was played out to it. */

test("the welcome's words are final as soon as the last was played out, whatever follows", async () => {
  const lines: LiveTranscriptLine[] = [];
  const call = startSingleCall({
    agent: { welcome_message: 'Hello, this is Maya. How can I help you today?' },
    leg: { transcript: (line) => lines.push(line) },
  });
  for (let tick = 0; tick < 500 && !lines.at(-1)?.final; tick++) {
    await call.clock.advance(20);
    call.tick();
  }
  expect(lines[0]).toMatchObject({ role: 'agent', final: false });
  const texts = lines.map(({ text }) => text);
  // It grows word by word, to its end.
  for (const [index, text] of texts.entries()) expect(text.startsWith(texts[index - 1] ?? '')).toBe(true);
  expect(lines.at(-1)).toMatchObject({ text: 'Hello, this is Maya. How can I help you today?', final: true });
  await call.close();
});

test('a line says that the caller talked over it', async () => {
  const lines: LiveTranscriptLine[] = [];
  const call = startSingleCall({
    agent: { welcome_message: 'Hello, this is Maya. How can I help you today?' },
    leg: { transcript: (line) => lines.push(line) },
  });
  for (let tick = 0; tick < 500 && (lines.at(-1)?.text.length ?? 0) < 12; tick++) {
    await call.clock.advance(20);
    call.tick();
  }
  await call.close();
  const last = lines.at(-1)!;
  expect(last).toMatchObject({ role: 'agent', final: true, interrupted: true });
  expect('Hello, this is Maya. How can I help you today?'.startsWith(last.text)).toBe(true);
});
