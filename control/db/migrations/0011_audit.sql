-- Audit events and server logs of workspaces.

create table audit_events (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  at timestamptz not null,
  -- `agent.updated`, `member.removed` …: searched by prefix, so in collation "C".
  action text collate "C" not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'oauth_app', 'service')),
  actor_id text collate "C" not null,
  actor_name text not null,
  target_kind text not null,
  target_id text collate "C" not null,
  target_name text not null,
  -- Field → [old, new]; secrets and prompts as ["changed", "changed"].
  changes jsonb not null default '{}',
  -- Further facts of the event.
  data jsonb not null default '{}',
  -- Where the request came from; empty for what the service did by itself.
  address text not null default '',
  request_id text not null default '',
  primary key (workspace_id, id)
);

create index audit_events_newest on audit_events (workspace_id, at desc, id desc);
create index audit_events_of_actor on audit_events (workspace_id, actor_id, at desc, id desc);
create index audit_events_of_target on audit_events (workspace_id, target_id, at desc, id desc);
create index audit_events_of_action on audit_events (workspace_id, action);
create index audit_events_age on audit_events (at);

-- Kept 14 days. No reference to the workspace, so that writing a log line never waits for a lock.
create table server_logs (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  at timestamptz not null,
  level text not null check (level in ('info', 'warning', 'error')),
  message text not null,
  source text not null check (source in ('api', 'call', 'webhook', 'batch', 'test', 'job')),
  request_id text collate "C" not null default '',
  call_id text collate "C" not null default '',
  agent_id text collate "C" not null default '',
  method text not null default '',
  path text not null default '',
  status integer,
  duration_ms integer,
  data jsonb not null default '{}',
  primary key (workspace_id, id)
);

create index server_logs_newest on server_logs (workspace_id, at desc, id desc);
create index server_logs_of_request on server_logs (workspace_id, request_id) where request_id <> '';
create index server_logs_of_call on server_logs (workspace_id, call_id) where call_id <> '';
create index server_logs_troubles on server_logs (workspace_id, at desc, id desc) where level <> 'info';
create index server_logs_age on server_logs (at);
