-- What the catalog knows from elsewhere: voices of the providers, their previews, and how quick models were.

create table provider_voices (
  provider text collate "C" not null,
  voice_id text collate "C" not null,
  name text not null,
  gender text not null check (gender in ('female', 'male', 'neutral')),
  -- ISO 639 codes; empty: any that its models speak.
  languages text[] not null,
  models text[] not null,
  accent text not null,
  description text not null,
  refreshed_at timestamptz not null,
  primary key (provider, voice_id)
);

-- What is refreshed in the background, like `voices:cartesia`: when next, and until when one process is at it.
create table catalog_refreshes (
  name text collate "C" primary key,
  next_at timestamptz not null,
  lease_until timestamptz,
  refreshed_at timestamptz
);

create table voice_previews (
  provider text collate "C" not null,
  voice_id text collate "C" not null,
  language text collate "C" not null,
  wav bytea not null,
  created_at timestamptz not null,
  primary key (provider, voice_id, language)
);

-- Audio does not compress.
alter table voice_previews alter column wav set storage external;
-- The oldest make way.
create index voice_previews_oldest on voice_previews (created_at);

create table model_latencies (
  component text collate "C" not null check (component in ('transcriber', 'llm', 'voice')),
  provider text collate "C" not null,
  model text collate "C" not null,
  latency_ms integer not null,
  primary key (component, provider, model)
);
