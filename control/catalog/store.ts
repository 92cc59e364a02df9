import type { AnySql, Transaction } from '../db/connect.ts';
import type { ModelLatency } from './models.ts';
import type { Voice } from './voice.ts';

/** The SQL of the catalog. Nothing in it belongs to a workspace. */

export async function voicesOf(sql: AnySql, providers: readonly string[]): Promise<Voice[]> {
  return sql<Voice[]>`
    select provider, voice_id, name, gender, languages, models, accent, description
    from provider_voices where provider = any(${[...providers]}) order by provider, name, voice_id`;
}

/** Replaces all voices of the provider. */
export async function replaceVoices(
  tx: Transaction,
  provider: string,
  voices: readonly Voice[],
  at: Date,
): Promise<void> {
  await tx`
    insert into provider_voices (
      provider, voice_id, name, gender, languages, models, accent, description, refreshed_at
    )
    select ${provider}, voice_id, name, gender, languages, models, accent, description, ${at}
    from jsonb_to_recordset(${tx.json(voices as never)}) as listed (
      voice_id text, name text, gender text, languages text[], models text[], accent text, description text
    )
    on conflict (provider, voice_id) do update set
      name = excluded.name, gender = excluded.gender, languages = excluded.languages, models = excluded.models,
      accent = excluded.accent, description = excluded.description, refreshed_at = excluded.refreshed_at`;
  const ids = voices.map(({ voice_id }) => voice_id);
  await tx`delete from provider_voices where provider = ${provider} and voice_id <> all(${ids})`;
}

/** True when the refresh is due and this process is the one to carry it out, until `leaseUntil`. */
export async function leaseRefresh(sql: AnySql, name: string, now: Date, leaseUntil: Date): Promise<boolean> {
  const rows = await sql`
    insert into catalog_refreshes as known (name, next_at, lease_until) values (${name}, ${now}, ${leaseUntil})
    on conflict (name) do update set lease_until = excluded.lease_until
      where known.next_at <= ${now} and (known.lease_until is null or known.lease_until <= ${now})
    returning name`;
  return rows.length > 0;
}

/** @param refreshedAt null: it failed, and what is stored stays. */
export async function endRefresh(sql: AnySql, name: string, nextAt: Date, refreshedAt: Date | null): Promise<void> {
  await sql`
    update catalog_refreshes set next_at = ${nextAt}, lease_until = null,
      refreshed_at = coalesce(${refreshedAt}, refreshed_at)
    where name = ${name}`;
}

export async function listLatencies(sql: AnySql): Promise<ModelLatency[]> {
  return sql<ModelLatency[]>`select component, provider, model, latency_ms from model_latencies`;
}

export async function replaceLatencies(tx: Transaction, latencies: readonly ModelLatency[]): Promise<void> {
  await tx`delete from model_latencies`;
  await tx`
    insert into model_latencies (component, provider, model, latency_ms)
    select component, provider, model, latency_ms
    from jsonb_to_recordset(${tx.json(latencies as never)}) as measured (
      component text, provider text, model text, latency_ms integer
    )`;
}

/**
 * Medians of the newest calls of all workspaces since `firstId` (ids sort by creation): of a model's first token, of a voice's
 * first audio, and of the end of a turn for transcribers. Only calls that used one provider and model of the component count,
 * because their events do not name it.
 */
export async function measureLatencies(
  sql: AnySql,
  { firstId, maxCalls, minSamples }: { firstId: string; maxCalls: number; minSamples: number },
): Promise<ModelLatency[]> {
  return sql<ModelLatency[]>`
    select component, provider, model, round(percentile_disc(0.5) within group (order by ms))::integer as latency_ms
    from (
      select used.component, used.provider, used.model,
        case used.component
          when 'llm' then (e.data ->> 'model_ms')::float8
          when 'voice' then (e.data -> 'parts' ->> 'first_audio_ms')::float8
          else (e.data -> 'parts' ->> 'end_of_turn_ms')::float8
        end as ms
      from (
        select workspace_id, id, provider_usage from calls
        where id >= ${firstId} and provider_usage <> '[]' order by id desc limit ${maxCalls}
      ) c
      cross join lateral (
        select each ->> 'component' as component, min(each ->> 'provider') as provider, min(each ->> 'model') as model
        from jsonb_array_elements(c.provider_usage) each group by each ->> 'component' having count(*) = 1
      ) used
      join call_events e on e.workspace_id = c.workspace_id and e.call_id = c.id
        and e.latency_stage = case used.component when 'llm' then 'llm_first_token' else 'first_audio' end
    ) measured
    where ms is not null
    group by component, provider, model
    having count(*) >= ${minSamples}`;
}

/** A WAV file; null when there is none yet. */
export async function findPreview(
  sql: AnySql,
  provider: string,
  voiceId: string,
  language: string,
): Promise<Uint8Array | null> {
  const [row] = await sql<{ wav: Uint8Array }[]>`
    select wav from voice_previews
    where provider = ${provider} and voice_id = ${voiceId} and language = ${language}`;
  return row?.wav ?? null;
}

/** @param maxStored the oldest beyond it are deleted. */
export async function insertPreview(
  tx: Transaction,
  { provider, voice_id, language, wav }: { provider: string; voice_id: string; language: string; wav: Uint8Array },
  at: Date,
  maxStored: number,
): Promise<void> {
  await tx`
    insert into voice_previews (provider, voice_id, language, wav, created_at)
    values (${provider}, ${voice_id}, ${language}, ${wav}, ${at})
    on conflict (provider, voice_id, language) do update set wav = excluded.wav, created_at = excluded.created_at`;
  await tx`
    delete from voice_previews where (provider, voice_id, language) in (
      select provider, voice_id, language from voice_previews order by created_at desc offset ${maxStored}
    )`;
}
