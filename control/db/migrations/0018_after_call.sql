-- What is still to be done for calls that have ended: analytics, the look for a call back, the check of the guardrails. A row
-- is written with `ended` and gone with `completed`.

create table after_calls (
  workspace_id text collate "C" not null,
  call_id text collate "C" primary key,
  created_at timestamptz not null,
  -- By then the call completes, whatever was found.
  due_at timestamptz not null,
  -- Who works on it; free again when the lease has run out.
  leased_until timestamptz,
  lease_id text collate "C" not null default '',
  tries integer not null default 0,
  foreign key (workspace_id, call_id) references calls (workspace_id, id) on delete cascade
);

create index after_calls_turn on after_calls (workspace_id, created_at, call_id);
-- Strikes: the violations of one agent and rule within 30 days.
create index guardrail_incidents_strikes on guardrail_incidents (workspace_id, agent_id, rule_id, created_at);
