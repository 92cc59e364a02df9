-- How many days calls are kept with all that belongs to them; null: as the service is set, 0: for ever.
alter table workspaces add column call_retention_days integer check (call_retention_days >= 0);

-- People whose calls are to be erased; the row is deleted with the last of them.
create table call_erasures (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" primary key,
  number text collate "C" not null,
  requested_at timestamptz not null,
  unique (workspace_id, number)
);
