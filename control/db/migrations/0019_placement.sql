-- The queue reads the oldest call of each agent and of each batch. Calls of batches have an index of their own, so that a long
-- batch does not slow down single calls of the same agent.

create index calls_queue_of_agent_alone on calls (workspace_id, agent_id, queued_at, id)
  where status = 'queued' and batch_id is null;
create index calls_queue_of_batch on calls (workspace_id, batch_id, queued_at, id)
  where status = 'queued' and batch_id is not null;
drop index calls_queue_of_agent;

-- Live calls are counted per batch.
create index calls_live_of_batch on calls (workspace_id, batch_id) where status in ('ringing', 'in-progress');
drop index calls_live;
