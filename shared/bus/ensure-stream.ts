import { type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { errorText } from '../log.ts';

const REPLICAS = 3;

/**
 * Creates the stream, or updates one that exists with another configuration.
 *
 * @param replicas servers that keep the stream. Without it three where the server knows that many and they agree, else one; a stream that
 * has more keeps them, because a server that is away for a moment is not gone.
 */
export async function ensureStream(
  connection: NatsConnection,
  config: Partial<StreamConfig> & { name: string },
  replicas?: number,
): Promise<void> {
  const manager = await jetstreamManager(connection);
  const wanted = replicas ?? (knownServers(connection) >= REPLICAS ? REPLICAS : 1);
  try {
    await putStream(manager, config, wanted, replicas !== undefined);
  } catch (error) {
    if (replicas !== undefined || wanted === 1) throw error;
    await putStream(manager, config, 1, false);
  }
}

async function putStream(
  { streams }: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
  replicas: number,
  mayLower: boolean,
): Promise<void> {
  try {
    await streams.add({ ...config, num_replicas: replicas });
  } catch (error) {
    if (!errorText(error).includes('already in use')) throw error;
    const { config: existing } = await streams.info(config.name);
    const num_replicas = mayLower ? replicas : Math.max(replicas, existing.num_replicas);
    await streams.update(config.name, { ...config, num_replicas });
  }
}

/** Servers of the cluster, as the one that is connected lists them: by an address for each. */
function knownServers({ info }: NatsConnection): number {
  return new Set(info?.connect_urls).size;
}
