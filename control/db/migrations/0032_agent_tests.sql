-- Scenarios in which agents are tested, and the runs of them.

create table agent_test_scenarios (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  agent_id text collate "C" not null,
  name text not null,
  persona text not null,
  first_message text not null,
  user_data jsonb not null,
  criteria text[] not null,
  max_turns integer not null,
  language text not null,
  tool_results jsonb not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
);

create index agent_test_scenarios_of_agent on agent_test_scenarios (workspace_id, agent_id, id);

-- A run outlives its scenario and its agent.
create table agent_test_runs (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  scenario_id text collate "C" not null,
  agent_id text collate "C" not null,
  agent_version integer not null,
  -- As it was when the run was queued.
  scenario jsonb not null,
  -- The agent's configuration as it was then; null once the run is finished.
  agent jsonb,
  status text not null check (status in ('queued', 'running', 'passed', 'failed', 'error')),
  transcript jsonb not null,
  criteria jsonb not null,
  error text not null,
  usage jsonb not null,
  cost_paise bigint not null,
  currency text not null,
  started_by text not null,
  queued_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  leased_until timestamptz,
  lease_id text collate "C" not null,
  -- How often it was begun.
  tries integer not null,
  primary key (workspace_id, id)
);

create index agent_test_runs_of_scenario on agent_test_runs (workspace_id, scenario_id, id);
create index agent_test_runs_unfinished on agent_test_runs (workspace_id, id) where status in ('queued', 'running');
