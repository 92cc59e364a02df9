import {
  DiscardPolicy,
  type JetStreamClient,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { errorText } from '../log.ts';
import type { Presence } from './presence.ts';
import { PERMITS_FILTER, PERMITS_STREAM, PROVIDER_FULL, permitOf } from './subjects.ts';

/**
 * The places an account has at a provider, shared by all engines: place 0 to limit - 1 of an account is one subject with at
 * most one message, and who put it there holds the place. Putting it there succeeds only where none is, so no place is
 * held twice; it falls away by itself when it is not renewed, so the death of an engine gives its places back.
 */
export interface PermitRegistry {
  /** Makes the stream where it is missing. */
  prepare(): Promise<void>;
  /** Takes this place: the version to renew it with, or null where somebody has it. Rejects, at once, while the bus is away. */
  acquire(account: string, permit: number): Promise<number | null>;
  /** Renews it: its new version, or null where it is ours no more. */
  renew(account: string, permit: number, version: number): Promise<number | null>;
  release(account: string, permit: number, version: number): Promise<void>;
  /** Tells every engine that the provider refused this account just now; losing it costs one refusal. */
  publishFull(account: string): void;
  onFull(acquire: (account: string) => void): void;
}

/** A place that was not renewed for so long is free again; within 30 seconds, as promised. */
export const PERMIT_TTL_MS = 25_000;
const WRONG_LAST_SEQUENCE = 10071;
const NS_PER_MS = 1_000_000;
const TIMEOUT_MS = 2_000;

export function createPermitRegistry(
  connection: NatsConnection,
  stream: JetStreamClient,
  presence: Presence,
): PermitRegistry {
  async function put(account: string, place: number, after: number): Promise<number | null> {
    presence.requireOnline();
    try {
      const stored = await stream.publish(permitOf(account, place), new Uint8Array(0), {
        expect: { lastSubjectSequence: after },
        timeout: TIMEOUT_MS,
      });
      return stored.seq;
    } catch (error) {
      if (isTaken(error)) return null;
      throw error;
    }
  }

  return {
    async prepare() {
      const manager = await jetstreamManager(connection);
      const config = {
        name: PERMITS_STREAM,
        subjects: [PERMITS_FILTER],
        retention: RetentionPolicy.Limits,
        storage: StorageType.Memory,
        discard: DiscardPolicy.Old,
        max_age: PERMIT_TTL_MS * NS_PER_MS,
        max_msgs_per_subject: 1,
      };
      await manager.streams.add(config).catch(async (error: unknown) => {
        if (!errorText(error).includes('already in use')) throw error;
        await manager.streams.update(PERMITS_STREAM, config);
      });
    },
    acquire: (account, place) => put(account, place, 0),
    renew: (account, place, version) => put(account, place, version),
    async release(account, place, version) {
      presence.requireOnline();
      const manager = await jetstreamManager(connection, { checkAPI: false });
      // Only up to our own message: the place may be somebody else's by now.
      await manager.streams.purge(PERMITS_STREAM, { filter: permitOf(account, place), seq: version + 1 });
    },
    publishFull(account) {
      if (presence.online) connection.publish(PROVIDER_FULL, account);
    },
    onFull(take) {
      connection.subscribe(PROVIDER_FULL, {
        callback: (error, message) => {
          if (!error) take(message.string());
        },
      });
    },
  };
}

function isTaken(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  const api = (error as { apiError?: () => { err_code?: number } | null }).apiError?.();
  return code === WRONG_LAST_SEQUENCE || api?.err_code === WRONG_LAST_SEQUENCE;
}
