import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { startTestNats } from '../support/nats.ts';

const server = await startTestNats();

it('keeps published messages across a restart', async () => {
  const before = await connect({ servers: server.url });
  const manager = await jetstreamManager(before);
  await manager.streams.add({ name: 'kept', subjects: ['kept.>'] });
  await jetstream(before).publish('kept.word', 'hello');
  await before.close();

  await server.restart();
  const after = await connect({ servers: server.url });
  const info = await (await jetstreamManager(after)).streams.info('kept');
  expect(info.state.messages).toBe(1);
  await after.close();
});
