-- Shared agents, pinned agents, and what latency statistics read.

create table agent_shares (
  -- Opens the share from any workspace: 128 random bits.
  token text collate "C" primary key,
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  agent_name text not null,
  version integer not null,
  -- The configuration then, without what is not shared: it holds no secret of the agent.
  config jsonb not null,
  copies integer not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  -- Null: never.
  expires_at timestamptz,
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
);

create index agent_shares_newest on agent_shares (workspace_id, created_at desc, token desc);
create index agent_shares_of_agent on agent_shares (workspace_id, agent_id);

-- Pins belong to a member, and are deleted with the agent or the membership.
create table agent_pins (
  workspace_id text collate "C" not null,
  user_id text collate "C" not null,
  agent_id text collate "C" not null,
  pinned_at timestamptz not null,
  primary key (workspace_id, user_id, agent_id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);

create index agent_pins_of_agent on agent_pins (workspace_id, agent_id);

-- The stage of a turn whose latency the event has; null for others. Nobody waits for a transfer as for a tool.
alter table call_events add column latency_stage text collate "C" generated always as (
  case
    when latency_ms is null then null
    when type = 'tts.first_audio' and jsonb_exists(data, 'welcome') then 'welcome'
    when type = 'tts.first_audio' then 'first_audio'
    when type = 'llm.first_token' then 'llm_first_token'
    when type = 'tool.result' and data ->> 'name' is distinct from 'transfer_call' then 'tool'
  end
) stored;

-- Percentiles are computed by index-only scans.
create index call_events_latencies on call_events (workspace_id, call_id) include (latency_stage, latency_ms)
  where latency_stage is not null;
create index calls_started_of_agent on calls (workspace_id, agent_id, started_at) where started_at is not null;
