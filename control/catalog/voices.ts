import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { AvailableProviders } from './available-providers.ts';
import { ProviderRequestError } from './provider-request.ts';
import { voicesOf } from './store.ts';
import { matches, type Voice, type VoiceFilter } from './voice.ts';
import type { VoiceList } from './voice-lists/voice-list.ts';

const FIND_DEADLINE_MS = 5_000;

export type Voices = ReturnType<typeof createVoices>;

/** The voices of all available providers. */
export function createVoices({ sql, clock, log, lists, available }: VoiceDeps) {
  const usable = lists.filter(({ provider }) => available.voice.has(provider));
  const remote = usable.filter((list) => list.remote);
  const maintained = usable.filter((list) => !list.remote);
  const order = [...available.voice];
  const listOf = (provider: string): VoiceList | undefined => usable.find((list) => list.provider === provider);

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

    /**
     * A voice that is not in the stored list, such as one added since: asked of the provider.
     *
     * @returns `ignored` where the provider speaks all the same, `unreachable` when it did not answer in time.
     */
    async find(provider: string, voiceId: string): Promise<Voice | 'unknown' | 'ignored' | 'unreachable'> {
      const list = listOf(provider);
      if (!list) return 'unknown';
      const deadline = new AbortController();
      const timer = clock.after(FIND_DEADLINE_MS, () => deadline.abort());
      try {
        return (await list.find(voiceId, deadline.signal)) ?? (list.ignoresUnknownVoices ? 'ignored' : 'unknown');
      } catch (error) {
        if (!(error instanceof ProviderRequestError)) throw error;
        log.warn({ provider, error: error.message }, 'a voice could not be looked up');
        return 'unreachable';
      } finally {
        timer.cancel();
      }
    },

    /** The list of a provider that is available; undefined for others. */
    listOf,
  };
}

export interface VoiceDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  lists: readonly VoiceList[];
  available: AvailableProviders;
}
