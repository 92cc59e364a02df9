-- Knowledge bases, their sources, and the passages that sources are split into.

create table knowledge_bases (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  name text not null,
  description text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Incremented with every change of the passages, to invalidate caches.
  revision integer not null default 0,
  primary key (workspace_id, id)
);

create table knowledge_sources (
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null check (kind in ('file', 'url', 'text')),
  name text not null,
  status text not null default 'queued' check (status in ('queued', 'processing', 'ready', 'failed')),
  error text not null default '',
  url text not null default '',
  file_name text not null default '',
  size_bytes integer not null default 0,
  -- Of the passages that can be searched now.
  characters integer not null default 0,
  passages integer not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The text that is split into passages.
  text text not null,
  text_characters integer not null,
  -- While queued: when it is due. While processing: when its lease ends.
  due_at timestamptz not null,
  -- Attempts since it was queued.
  tries integer not null default 0,
  -- Identifies the lease: a worker with an older one writes nothing.
  claim integer not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, knowledge_base_id) references knowledge_bases (workspace_id, id) on delete cascade
);

create index knowledge_sources_of_base on knowledge_sources (workspace_id, knowledge_base_id, id);
create index knowledge_sources_due on knowledge_sources (due_at) where status in ('queued', 'processing');

create table knowledge_passages (
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  source_id text collate "C" not null,
  -- Position in its source, from 1.
  number integer not null,
  text text not null,
  -- Tokens, and `=` with the id of the base, so that one index scan finds both and skips the passages of other bases.
  words tsvector not null,
  -- 32-bit floats, little-endian, normalised; null without a provider of embeddings.
  embedding bytea,
  embedding_model text not null default '',
  primary key (workspace_id, source_id, number),
  foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id) on delete cascade
);

create index knowledge_passages_words on knowledge_passages using gin (words);
create index knowledge_passages_embedded on knowledge_passages (workspace_id, knowledge_base_id, embedding_model)
  where embedding is not null;
