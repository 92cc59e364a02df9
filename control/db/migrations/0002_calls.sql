-- Calls, their timelines, and the turns of the dispatcher. Columns of calls are the API's Call record; those after `currency`
-- are internal.

create table calls (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" primary key,
  -- No reference: calls outlive their agent. Null for inbound calls to a number without an agent.
  agent_id text collate "C",
  agent_name text not null,
  agent_version integer not null,
  batch_id text collate "C",
  direction text not null check (direction in ('outbound', 'inbound')),
  channel text not null check (channel in ('phone', 'web')),
  status text not null check (
    status in ('queued', 'ringing', 'in-progress', 'ended', 'completed', 'no-answer', 'busy', 'canceled', 'failed')
  ),
  from_number text not null,
  to_number text not null,
  user_data jsonb not null default '{}',
  started_by text not null,
  provider text not null,
  created_at timestamptz not null,
  not_before_at timestamptz,
  placed_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  completed_at timestamptz,
  duration_seconds integer not null default 0,
  hangup_by text check (hangup_by in ('caller', 'agent', 'member', 'carrier', 'service')),
  hangup_reason text not null default '',
  answered_by text check (answered_by in ('human', 'machine')),
  -- Items {role, text, at (milliseconds since 1970), interrupted}.
  transcript jsonb not null default '[]',
  summary text not null default '',
  extracted jsonb not null default '{}',
  recorded boolean not null default false,
  avg_first_audio_ms integer,
  transfer jsonb,
  rescheduled_from text collate "C",
  rescheduled_to text collate "C",
  usage jsonb,
  cost_paise bigint not null default 0,
  cost_breakdown jsonb not null default '{}',
  plan_seconds_covered integer not null default 0,
  analysis_cost_paise bigint not null default 0,
  currency text not null,

  -- The later of created_at and not_before_at: orders the queue, and starts its 24 hours.
  queued_at timestamptz not null,
  ringing_at timestamptz,
  -- Seq of the last timeline item written, and of the last media event applied.
  event_seq integer not null default 0,
  media_seq integer not null default 0,
  -- The nonce of the media token that opened the call; a second stream is refused.
  media_nonce text,
  engine_id text not null default '',
  heartbeat_at timestamptz,
  -- Empty until the carrier reported it.
  provider_call_id text not null default '',
  -- For carriers that identify the request first and the call later.
  provider_request_id text not null default '',
  -- The carrier reported the end of an answered call; the engine has not yet.
  carrier_ended_at timestamptz,
  -- A member's request to end a live call, until it is carried out.
  hangup_ordered_reason text not null default '',
  unique (workspace_id, id)
);

-- The list, and the list of one agent.
create index calls_newest on calls (workspace_id, created_at desc, id desc);
create index calls_newest_of_agent on calls (workspace_id, agent_id, created_at desc, id desc);
create index calls_newest_of_batch on calls (workspace_id, batch_id, created_at desc, id desc) where batch_id is not null;
-- The filter `number` matches a whole number or its last digits.
create index calls_to_digits on calls (workspace_id, reverse(to_number) text_pattern_ops);
create index calls_from_digits on calls (workspace_id, reverse(from_number) text_pattern_ops);
-- Live calls are counted, without a counter column.
create index calls_live on calls (workspace_id) where status in ('ringing', 'in-progress');
-- The queue: positions, the oldest call of each agent, and calls that waited too long.
create index calls_queue on calls (workspace_id, queued_at, id) where status = 'queued';
create index calls_queue_of_agent on calls (workspace_id, agent_id, queued_at, id) where status = 'queued';
create index calls_queue_age on calls (queued_at) where status = 'queued';
-- The reaper.
create index calls_ringing_age on calls (ringing_at) where status = 'ringing';
create index calls_silent on calls (heartbeat_at) where status = 'in-progress';
create index calls_carrier_ended on calls (carrier_ended_at)
  where carrier_ended_at is not null and status in ('ringing', 'in-progress');
-- Callbacks of a carrier without our call id; the same inbound call is never accepted twice.
create unique index calls_of_carrier on calls (provider, provider_call_id) where provider_call_id <> '';

create table call_events (
  workspace_id text collate "C" not null,
  call_id text collate "C" not null,
  -- Position on the timeline, without gaps.
  seq integer not null,
  id text collate "C" not null,
  source text not null check (source in ('media', 'control')),
  -- The engine's own number; null for events of control.
  source_seq integer,
  type text not null,
  message text not null,
  level text not null check (level in ('info', 'warning', 'error')),
  latency_ms integer,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (call_id, seq),
  unique (call_id, source, source_seq),
  foreign key (workspace_id, call_id) references calls (workspace_id, id) on delete cascade
);

-- Events from the bus that cannot be applied, for an operator to inspect.
create table dead_events (
  id text collate "C" primary key,
  received_at timestamptz not null,
  reason text not null,
  call_id text collate "C" not null,
  raw bytea not null
);

create index dead_events_age on dead_events (received_at);

-- Workspaces are dialled in turn, the one dialled longest ago first.
create table dispatch_turns (
  workspace_id text collate "C" primary key references workspaces (id),
  last_served_at timestamptz not null
);
