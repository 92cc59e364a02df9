import type { Sql } from '../db/connect.ts';
import type { AvailableProviders } from './available-providers.ts';
import { voicesOf } from './store.ts';
import { matches, type Voice, type VoiceFilter } from './voice.ts';
import type { VoiceList } from './voice-lists/voice-list.ts';

export interface VoiceLists {
  /** Refreshed in the background and read from the database. */
  remote: readonly VoiceList[];
  /** Maintained here. */
  maintained: readonly VoiceList[];
}

export type Voices = ReturnType<typeof createVoices>;

/** The voices of all available providers. */
export function createVoices({ sql, lists, available }: VoiceDeps) {
  const isAvailable = ({ provider }: VoiceList) => available.voice.has(provider);
  const remote = lists.remote.filter(isAvailable);
  const maintained = lists.maintained.filter(isAvailable);
  const order = [...available.voice];

  return {
    /** By provider and name. */
    async list(filter: VoiceFilter): Promise<Voice[]> {
      const stored = await voicesOf(
        sql,
        remote.map(({ provider }) => provider),
      );
      const own = await Promise.all(maintained.map((list) => list.all(AbortSignal.timeout(1_000))));
      return [...stored, ...own.flat()]
        .filter((voice) => matches(voice, filter))
        .sort((a, b) => order.indexOf(a.provider) - order.indexOf(b.provider));
    },

    /** The list of a provider that is available; undefined for others. */
    listOf: (provider: string): VoiceList | undefined =>
      [...remote, ...maintained].find((list) => list.provider === provider),
  };
}

export interface VoiceDeps {
  sql: Sql;
  lists: VoiceLists;
  available: AvailableProviders;
}
