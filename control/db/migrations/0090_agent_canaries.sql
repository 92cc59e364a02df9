-- A version of an agent that a share of its new calls uses.
create table agent_canaries (
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  version integer not null,
  percent integer not null check (percent between 1 and 99),
  -- As it was checked when the canary began: the version itself may be one of more than ten by now.
  config jsonb not null,
  started_at timestamptz not null,
  started_by text not null,
  primary key (workspace_id, agent_id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
);
