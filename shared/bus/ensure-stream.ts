import { jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { errorText } from '../log.ts';

/** Creates the stream, or updates one that exists with another configuration. */
export async function ensureStream(
  connection: NatsConnection,
  config: Partial<StreamConfig> & { name: string },
): Promise<void> {
  const { streams } = await jetstreamManager(connection);
  await streams.add(config).catch(async (error: unknown) => {
    if (!errorText(error).includes('already in use')) throw error;
    await streams.update(config.name, config);
  });
}
