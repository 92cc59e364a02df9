import { connect } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { connectBus } from '../../../shared/bus/bus.ts';
import { searchKnowledgeRequestCodec } from '../../../shared/bus/messages.ts';
import { MAX_REQUESTS_UNDER_WAY } from '../../../shared/bus/requests.ts';
import { SEARCH_KNOWLEDGE } from '../../../shared/bus/subjects.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { startTestNats } from '../../support/nats.ts';

it('leaves requests unanswered beyond a bound of each subject, until earlier ones are answered', async () => {
  const logged: { msg: string }[] = [];
  const log = createLogger('control', 'warn', { write: (line: string) => void logged.push(JSON.parse(line)) });
  const nats = await startTestNats();
  const control = await connectBus({ url: nats.url, name: 'control', log });
  const engine = await connectBus({ url: nats.url, name: 'engine', log });
  const flood = await connect({ servers: nats.url });
  for (const each of [control, engine, flood]) afterFile(() => each.close());

  const waiting: (() => void)[] = [];
  control.serveKnowledge(async () => {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return { passages: [], error: '', hits: 0, embed_ms: 0, search_ms: 0 };
  });
  control.serveCallbacks(async () => ({ booked: false, message: 'another subject' }));
  const search = { call_id: 'c', query: 'x', limit: 1, within_ms: 1 };
  /** Control has read whatever was published before. */
  const read = async () => {
    await flood.flush();
    return engine.bookCallback({ call_id: 'c', when: '', note: '' }, 60_000);
  };
  // Answered after the server has control's subscriptions.
  await control.prepare();
  for (let count = 0; count < MAX_REQUESTS_UNDER_WAY + 200; count++) {
    flood.publish(SEARCH_KNOWLEDGE, searchKnowledgeRequestCodec.encode(search), { reply: `_INBOX.flood.${count}` });
  }
  expect(await read()).toMatchObject({ message: 'another subject' });
  expect(waiting).toHaveLength(MAX_REQUESTS_UNDER_WAY);
  expect(logged.map(({ msg }) => msg)).toEqual(['too many bus requests at once, further ones stay without an answer']);

  for (const answer of waiting.splice(0)) answer();
  const late = engine.searchKnowledge(search, 60_000);
  await read();
  for (const answer of waiting) answer();
  expect(await late).toMatchObject({ error: '' });
});
