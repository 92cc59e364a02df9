-- Archives of all that a workspace has, made in the background and kept for a week. A row stays for a day after its archive is
-- removed, because it counts for the limit of a day.
create table workspace_exports (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  -- queued, running, ready, failed
  status text not null,
  recordings boolean not null,
  -- So far.
  records bigint not null default 0,
  recording_count integer not null default 0,
  size_bytes bigint not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz,
  removed_at timestamptz,
  -- The store of recordings may have a part of it.
  stored boolean not null default false,
  due_at timestamptz not null,
  leased_until timestamptz,
  lease_id text collate "C" not null default '',
  tries integer not null default 0,
  primary key (workspace_id, id)
);
create unique index workspace_exports_unfinished on workspace_exports (workspace_id)
  where status in ('queued', 'running') and removed_at is null;
create index workspace_exports_due on workspace_exports (due_at)
  where status in ('queued', 'running') and removed_at is null;
