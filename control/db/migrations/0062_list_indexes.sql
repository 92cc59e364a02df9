-- Lists of finished calls of any agent, status, direction, channel and answer: each combination is one range in the list's order, and
-- those that exist are known (0063). And of a duration, where few calls are so long.
-- no transaction
create index concurrently if not exists finished_calls_newest_of_kind on finished_calls
  (workspace_id, status, direction, channel, (coalesce(answered_by, '')), created_at desc, id desc);
create index concurrently if not exists finished_calls_newest_of_agent_kind on finished_calls
  (workspace_id, agent_id, status, direction, channel, (coalesce(answered_by, '')), created_at desc, id desc);
create index concurrently if not exists finished_calls_of_duration on finished_calls (workspace_id, duration_seconds);
