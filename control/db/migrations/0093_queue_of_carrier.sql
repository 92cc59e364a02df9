-- The calls of one carrier in each queue, in order: while a carrier takes no calls, those of others are found without reading its own. A
-- call has an entry while it is queued, so that its later changes do not maintain it.
-- no transaction
create index concurrently if not exists live_calls_queue_of_carrier on live_calls
  (workspace_id, (coalesce(batch_id, agent_id)), provider, queued_at, id) where status = 'queued';
