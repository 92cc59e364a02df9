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
import { PLACES_FILTER, PLACES_STREAM, PROVIDER_FULL, placeOf } from './subjects.ts';

/**
 * The places an account has at a provider, shared by all engines: place 0 to limit - 1 of an account is one subject with at
 * most one message, and who put it there holds the place. Putting it there succeeds only where none is, so no place is
 * held twice; it falls away by itself when it is not renewed, so the death of an engine gives its places back.
 */
export interface PlaceBoard {
  /** Makes the stream where it is missing. */
  prepare(): Promise<void>;
  /** Takes this place: the version to renew it with, or null where somebody has it. Rejects, at once, while the bus is away. */
  take(account: string, place: number): Promise<number | null>;
  /** Renews it: its new version, or null where it is ours no more. */
  keep(account: string, place: number, version: number): Promise<number | null>;
  free(account: string, place: number, version: number): Promise<void>;
  /** Tells every engine that the provider refused this account just now; losing it costs one refusal. */
  tellFull(account: string): void;
  onFull(take: (account: string) => void): void;
}

/** A place that was not renewed for so long is free again; within 30 seconds, as promised. */
export const PLACE_LASTS_MS = 25_000;
const WRONG_LAST_SEQUENCE = 10071;
const NS_PER_MS = 1_000_000;
const TIMEOUT_MS = 2_000;

export function createPlaceBoard(connection: NatsConnection, stream: JetStreamClient, presence: Presence): PlaceBoard {
  async function put(account: string, place: number, after: number): Promise<number | null> {
    presence.demand();
    try {
      const stored = await stream.publish(placeOf(account, place), new Uint8Array(0), {
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
        name: PLACES_STREAM,
        subjects: [PLACES_FILTER],
        retention: RetentionPolicy.Limits,
        storage: StorageType.Memory,
        discard: DiscardPolicy.Old,
        max_age: PLACE_LASTS_MS * NS_PER_MS,
        max_msgs_per_subject: 1,
      };
      await manager.streams.add(config).catch(async (error: unknown) => {
        if (!errorText(error).includes('already in use')) throw error;
        await manager.streams.update(PLACES_STREAM, config);
      });
    },
    take: (account, place) => put(account, place, 0),
    keep: (account, place, version) => put(account, place, version),
    async free(account, place, version) {
      presence.demand();
      const manager = await jetstreamManager(connection, { checkAPI: false });
      // Only up to our own message: the place may be somebody else's by now.
      await manager.streams.purge(PLACES_STREAM, { filter: placeOf(account, place), seq: version + 1 });
    },
    tellFull(account) {
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
