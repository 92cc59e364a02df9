-- Runs of scenarios aloud: a synthesized caller calls the agent.

alter table agent_test_runs
  add column mode text not null default 'text' check (mode in ('text', 'voice')),
  -- How it is run aloud; null in text.
  add column voice_request jsonb,
  -- What was measured; null in text, and before the end.
  add column voice jsonb,
  -- The store may hold a recording.
  add column recorded boolean not null default false;

-- The call of a run has the run's id: engines ask for it during the call.
create index agent_test_runs_running on agent_test_runs (id) where status = 'running';
create index agent_test_runs_recorded on agent_test_runs (finished_at) where recorded;
