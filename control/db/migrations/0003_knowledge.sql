-- What agents can look up: knowledge bases, the sources in them, and the passages sources are cut into.

create table knowledge_bases (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  name text not null,
  description text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Grows with every change of the passages: who holds them in memory knows when they are old.
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
  -- What the passages are cut from.
  text text not null,
  text_characters integer not null,
  -- Waiting: from when on it may be processed. Being processed: until when nobody else may take it.
  due_at timestamptz not null,
  -- Tries since it was queued.
  tries integer not null default 0,
  -- Which taking it is: one that was overtaken writes nothing.
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
  -- The words as the program cuts them, and `=` with the id of the base, so that one look into the index finds words and
  -- base together and the passages of other bases cost nothing.
  words tsvector not null,
  -- Numbers of 32 bits, little end first, of length 1 together; null where no provider was set.
  embedding bytea,
  embedding_model text not null default '',
  primary key (workspace_id, source_id, number),
  foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id) on delete cascade
);

create index knowledge_passages_words on knowledge_passages using gin (words);
create index knowledge_passages_embedded on knowledge_passages (workspace_id, knowledge_base_id, embedding_model)
  where embedding is not null;
