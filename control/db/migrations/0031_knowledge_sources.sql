-- Files and pages as sources of knowledge.

-- Pages that may be read from `url` on.
alter table knowledge_sources add column max_pages integer not null default 1;
-- Its name is the title of its page once that is read.
alter table knowledge_sources add column named_by_page boolean not null default false;

-- An uploaded file until its text is read; the text stays, in its source.
create table knowledge_files (
  workspace_id text collate "C" not null,
  source_id text collate "C" not null,
  kind text not null check (kind in ('pdf', 'docx', 'html', 'csv', 'md', 'txt')),
  content bytea not null,
  primary key (workspace_id, source_id),
  foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id) on delete cascade
);

-- Pages that were read, with what asks their server whether they have changed.
create table knowledge_pages (
  workspace_id text collate "C" not null,
  source_id text collate "C" not null,
  -- Position in its source, from 1.
  number integer not null,
  url text not null,
  -- Its `rel="canonical"`; its own address where it has none.
  canonical_url text not null,
  etag text not null,
  last_modified text not null,
  title text not null,
  text text not null,
  -- Pages of the same host that it links to.
  links text[] not null,
  primary key (workspace_id, source_id, number),
  foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id) on delete cascade
);
