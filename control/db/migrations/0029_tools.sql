-- The workspace's saved tools. Adding one to an agent copies it.

create table tools (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  name text collate "C" not null,
  description text not null,
  -- JSON Schema of the arguments.
  parameters jsonb not null,
  method text not null check (method in ('GET', 'POST')),
  url text not null,
  -- Values may be credentials, as in the tools of agents.
  headers jsonb not null,
  pre_call_message text not null,
  timeout_seconds double precision not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);
