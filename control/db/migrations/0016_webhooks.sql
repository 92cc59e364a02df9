-- Webhook endpoints and the outbox. A delivery is written in the transaction of its event, one row per receiver.

create table webhook_endpoints (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  url text not null,
  description text not null,
  -- Event types; '*' stands for all events of calls.
  events text[] not null,
  active boolean not null,
  -- Encrypted, not hashed: it is needed to sign.
  secret bytea not null,
  secret_hint text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (workspace_id, id)
);

-- Signs deliveries to the addresses of agents and batches.
create table webhook_default_secrets (
  workspace_id text collate "C" primary key references workspaces (id),
  secret bytea not null,
  secret_hint text not null,
  created_at timestamptz not null
);

-- The address of a batch, if it has one. An agent's is in its configuration.
create table campaign_webhooks (
  workspace_id text collate "C" not null references workspaces (id),
  batch_id text collate "C" not null,
  url text not null,
  primary key (workspace_id, batch_id)
);

-- The bytes of an event, once for all its receivers and attempts. No reference to the workspace, here and below: the call has
-- one, which need not be checked again for each receiver.
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
  -- Begins with the milliseconds of created_at, so it sorts by time.
  id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  body_id text collate "C" not null,
  -- As the API shows it: an endpoint's id, 'agent' or 'campaign'.
  endpoint_id text collate "C" not null,
  -- Deliveries of a call to one receiver are sent one at a time: an endpoint's id, 'agent:<id>' or 'campaign:<id>'.
  receiver text collate "C" not null,
  url text not null,
  call_id text collate "C" not null,
  agent_id text collate "C" not null,
  -- The event's position on the timeline of its call.
  event_seq integer not null,
  status text not null check (status in ('pending', 'delivered', 'retrying', 'failed')),
  -- All attempts, and those of the schedule.
  attempts integer not null default 0,
  scheduled_attempts integer not null default 0,
  last_status_code integer,
  last_error text not null default '',
  last_latency_ms integer,
  last_attempt_at timestamptz,
  -- Null: no automatic attempt follows.
  next_attempt_at timestamptz,
  -- End of the sender's lease.
  leased_until timestamptz,
  -- Identifies the lease: a sender with an older one has lost the delivery.
  claim text not null default '',
  created_at timestamptz not null,
  request_headers jsonb not null default '{}',
  response_headers jsonb not null default '{}',
  response_body text not null default '',
  primary key (workspace_id, id),
  check ((next_attempt_at is not null) = (status in ('pending', 'retrying')))
);

-- Waiting receivers are found by a skip scan, and each one's due deliveries in order.
create index webhook_deliveries_due on webhook_deliveries (receiver, next_attempt_at, id)
  where next_attempt_at is not null;
-- Earlier events of the call that wait for their first attempt.
create index webhook_deliveries_unsent on webhook_deliveries (receiver, call_id, event_seq) where status = 'pending';
create index webhook_deliveries_of_endpoint on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_of_type on webhook_deliveries (workspace_id, event_type, id);
create index webhook_deliveries_of_call on webhook_deliveries (workspace_id, call_id, id) where call_id <> '';
create index webhook_deliveries_undelivered on webhook_deliveries (workspace_id, status, id) where status <> 'delivered';
create index webhook_deliveries_age on webhook_deliveries (created_at);
