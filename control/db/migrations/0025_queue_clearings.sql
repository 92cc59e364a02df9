-- The rest of a long queue whose agent was deleted, batch canceled or workspace closed: its calls are ended a few hundred at a
-- time, and the row is deleted with the last of them. None of them is dialled meanwhile, because the queue takes only calls of
-- active agents, running batches and active workspaces.

create table queue_clearings (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" primary key,
  -- At most one of the two; neither for all calls of the workspace. No reference: both may be deleted.
  agent_id text collate "C",
  batch_id text collate "C",
  -- The end of each call.
  status text not null check (status in ('canceled', 'failed')),
  hangup_by text not null check (hangup_by in ('member', 'service')),
  hangup_reason text not null,
  level text not null check (level in ('info', 'warning')),
  created_at timestamptz not null,
  check (agent_id is null or batch_id is null)
);
