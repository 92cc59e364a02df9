-- The queue is asked one thing of each agent and one of each batch: who is the oldest of yours? Calls of a batch have an
-- index of their own, so that a batch of any length costs a single call of the same agent nothing.

create index calls_queue_of_agent_alone on calls (workspace_id, agent_id, queued_at, id)
  where status = 'queued' and batch_id is null;
create index calls_queue_of_batch on calls (workspace_id, batch_id, queued_at, id)
  where status = 'queued' and batch_id is not null;
drop index calls_queue_of_agent;

-- Live calls are counted batch by batch.
create index calls_live_of_batch on calls (workspace_id, batch_id) where status in ('ringing', 'in-progress');
drop index calls_live;
