-- Webhooks: who is told, and the outbox. A delivery is written in the transaction of its event, one row per receiver.

create table webhook_endpoints (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  url text not null,
  description text not null,
  -- Types of events; '*' stands for the life of a call.
  events text[] not null,
  active boolean not null,
  -- Encrypted: it must be read to sign, so a hash would not do.
  secret bytea not null,
  secret_hint text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (workspace_id, id)
);

-- Signs what goes to the addresses of agents and campaigns.
create table webhook_default_secrets (
  workspace_id text collate "C" primary key references workspaces (id),
  secret bytea not null,
  secret_hint text not null,
  created_at timestamptz not null
);

-- The address of a campaign, where it has one. An agent's stands in its configuration.
create table campaign_webhooks (
  workspace_id text collate "C" not null references workspaces (id),
  batch_id text collate "C" not null,
  url text not null,
  primary key (workspace_id, batch_id)
);

-- The very bytes of an event, once for all its receivers and attempts. No reference to the workspace, here and below: the
-- call they belong to has one, and whoever writes events should not look it up again for each receiver.
create table webhook_bodies (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  body text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

create index webhook_bodies_age on webhook_bodies (created_at);

create table webhook_deliveries (
  workspace_id text collate "C" not null,
  -- Begins with the milliseconds of created_at, so it sorts and is searched by them.
  id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  body_id text collate "C" not null,
  -- As the API shows it: an endpoint's id, 'agent' or 'campaign'.
  endpoint_id text collate "C" not null,
  -- Who is sent to, one at a time per call: an endpoint's id, 'agent:<id>' or 'campaign:<id>'.
  receiver text collate "C" not null,
  url text not null,
  call_id text collate "C" not null,
  agent_id text collate "C" not null,
  -- The event's place on the timeline of its call.
  event_seq integer not null,
  status text not null check (status in ('pending', 'delivered', 'retrying', 'failed')),
  -- All of them, and those of the schedule.
  attempts integer not null default 0,
  scheduled_attempts integer not null default 0,
  last_status_code integer,
  last_error text not null default '',
  last_latency_ms integer,
  last_attempt_at timestamptz,
  -- Null: none but a person's.
  next_attempt_at timestamptz,
  -- So long it belongs to whoever is sending it.
  leased_until timestamptz,
  -- Of the attempt under way or the last one: who holds an older one has lost the delivery.
  claim text not null default '',
  created_at timestamptz not null,
  request_headers jsonb not null default '{}',
  response_headers jsonb not null default '{}',
  response_body text not null default '',
  primary key (workspace_id, id),
  check ((next_attempt_at is not null) = (status in ('pending', 'retrying')))
);

-- Waiting receivers are found by jumping from one to the next, and each one's due deliveries in order.
create index webhook_deliveries_due on webhook_deliveries (receiver, next_attempt_at, id)
  where next_attempt_at is not null;
-- Whether an earlier event of the call still waits for its first attempt.
create index webhook_deliveries_unsent on webhook_deliveries (receiver, call_id, event_seq) where status = 'pending';
create index webhook_deliveries_of_endpoint on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_of_type on webhook_deliveries (workspace_id, event_type, id);
create index webhook_deliveries_of_call on webhook_deliveries (workspace_id, call_id, id) where call_id <> '';
create index webhook_deliveries_undelivered on webhook_deliveries (workspace_id, status, id) where status <> 'delivered';
create index webhook_deliveries_age on webhook_deliveries (created_at);
