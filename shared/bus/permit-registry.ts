import {
  DiscardPolicy,
  type JetStreamClient,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { ensureStream } from './ensure-stream.ts';
import type { Presence } from './presence.ts';
import { PERMITS_FILTER, PERMITS_STREAM, PROVIDER_FULL, permitOf, permitsOf } from './subjects.ts';

/**
 * The concurrency permits of provider accounts, shared by all engines. Permits 0 to limit - 1 of an account are one subject
 * each, holding at most one message: the engine that published it holds the permit. Publishing succeeds only on an empty
 * subject, so no permit is held twice; a message that is not renewed expires, so a dead engine's permits become free.
 */
export interface PermitRegistry {
  /** Creates the stream where it is missing. */
  prepare(): Promise<void>;
  /** The version to renew this permit with, or null when an engine holds it. Rejects at once while the bus is offline. */
  acquire(account: string, permit: number): Promise<number | null>;
  /** The permits of the account that are held, by this engine or others: one request. Rejects at once while the bus is offline. */
  held(account: string): Promise<number[]>;
  /** The permit's new version, or null when this engine no longer holds it. */
  renew(account: string, permit: number, version: number): Promise<number | null>;
  release(account: string, permit: number, version: number): Promise<void>;
  /** Tells every engine that the provider has just refused this account for its limit; may be lost. */
  publishFull(account: string): void;
  onFull(listener: (account: string) => void): void;
}

/** A permit not renewed for this long is free again. */
export const PERMIT_TTL_MS = 25_000;
const WRONG_LAST_SEQUENCE = 10071;
const NS_PER_MS = 1_000_000;
const TIMEOUT_MS = 2_000;

export function createPermitRegistry(
  connection: NatsConnection,
  stream: JetStreamClient,
  presence: Presence,
  replicas?: number,
  timeoutMs: number = TIMEOUT_MS,
): PermitRegistry {
  /** Publishes only if the subject's last message is `previous` (0: none). */
  async function put(account: string, permit: number, previous: number): Promise<number | null> {
    presence.requireOnline();
    try {
      const stored = await stream.publish(permitOf(account, permit), new Uint8Array(0), {
        expect: { lastSubjectSequence: previous },
        timeout: timeoutMs,
      });
      return stored.seq;
    } catch (error) {
      if (isHeldByAnother(error)) return null;
      throw error;
    }
  }

  const streams = async () => (await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs })).streams;

  return {
    prepare() {
      const config = {
        name: PERMITS_STREAM,
        subjects: [PERMITS_FILTER],
        retention: RetentionPolicy.Limits,
        storage: StorageType.Memory,
        discard: DiscardPolicy.Old,
        max_age: PERMIT_TTL_MS * NS_PER_MS,
        max_msgs_per_subject: 1,
      };
      return ensureStream(connection, config, replicas);
    },
    acquire: (account, permit) => put(account, permit, 0),
    async held(account) {
      presence.requireOnline();
      const { state } = await (await streams()).info(PERMITS_STREAM, { subjects_filter: permitsOf(account) });
      return Object.keys(state.subjects ?? {}).map((subject) => Number(subject.slice(subject.lastIndexOf('.') + 1)));
    },
    renew: (account, permit, version) => put(account, permit, version),
    async release(account, permit, version) {
      presence.requireOnline();
      // Purges up to this engine's own message: another engine may hold the permit by now.
      await (await streams()).purge(PERMITS_STREAM, { filter: permitOf(account, permit), seq: version + 1 });
    },
    publishFull(account) {
      if (presence.online) connection.publish(PROVIDER_FULL, account);
    },
    onFull(listener) {
      connection.subscribe(PROVIDER_FULL, {
        callback: (error, message) => {
          if (!error) listener(message.string());
        },
      });
    },
  };
}

function isHeldByAnother(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  const api = (error as { apiError?: () => { err_code?: number } | null }).apiError?.();
  return code === WRONG_LAST_SEQUENCE || api?.err_code === WRONG_LAST_SEQUENCE;
}
