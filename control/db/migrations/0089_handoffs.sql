-- Other agents that go on, or have gone on, with a live call.
alter table calls add column handoff_agent_ids text[] collate "C" not null default '{}';
