-- Work that remains for ended calls: analysis, callback requests, guardrails. A row is inserted with `ended` and deleted with
-- `completed`.

create table after_calls (
  workspace_id text collate "C" not null,
  call_id text collate "C" primary key,
  created_at timestamptz not null,
  -- The call completes by then, whatever the results.
  due_at timestamptz not null,
  -- The lease of the worker.
  leased_until timestamptz,
  lease_id text collate "C" not null default '',
  tries integer not null default 0,
  foreign key (workspace_id, call_id) references calls (workspace_id, id) on delete cascade
);

create index after_calls_turn on after_calls (workspace_id, created_at, call_id);
-- Strikes: the violations of one agent and rule within 30 days.
create index guardrail_incidents_strikes on guardrail_incidents (workspace_id, agent_id, rule_id, created_at);
