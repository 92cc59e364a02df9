-- Batches: one agent calls a list of people. Column names of batches and batch_contacts are the names of the API's records.

create table batch_uploads (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  file_name text not null,
  -- As in the header, and as keys of the contacts' user_data; without the phone column.
  columns text[] not null,
  phone_column text not null,
  keys text[] not null,
  total_rows integer not null,
  valid_rows integer not null,
  duplicate_rows integer not null,
  invalid_rows integer not null,
  errors jsonb not null,
  preview jsonb not null,
  -- Lists [row, number, [values in the order of `keys`]]; an empty cell is null.
  contacts jsonb not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);

create index batch_uploads_age on batch_uploads (expires_at);

create table batches (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  -- No reference: a batch outlives its agent.
  agent_id text collate "C" not null,
  agent_name text not null,
  name text not null,
  status text not null check (status in ('scheduled', 'running', 'paused', 'completed', 'canceled')),
  from_numbers text[] not null,
  webhook_url text not null,
  scheduled_at timestamptz,
  concurrency integer check (concurrency > 0),
  max_attempts integer not null check (max_attempts between 1 and 5),
  retry_after_minutes integer not null check (retry_after_minutes between 5 and 1440),
  retry_on text[] not null,
  total integer not null,
  paused_reason text not null default '',
  currency text not null,
  created_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,

  -- Keys of the contacts' user_data in the order of the upload: the columns of the results.
  keys text[] not null,
  -- Calls placed so far, to rotate from_numbers.
  placed integer not null default 0,
  -- Failures are counted from here on, so that a resumed batch starts anew.
  failures_since timestamptz,
  primary key (workspace_id, id)
);

create index batches_newest on batches (workspace_id, created_at desc, id desc);
create index batches_of_agent on batches (workspace_id, agent_id, created_at desc, id desc);
-- Read by the batch scheduler.
create index batches_under_way on batches (workspace_id, id) where status in ('scheduled', 'running', 'paused');

create table batch_contacts (
  workspace_id text collate "C" not null,
  batch_id text collate "C" not null,
  -- As in the file, whose header is row 1; from 1 in a list that was sent with the batch.
  row integer not null,
  id text collate "C" not null,
  to_number text not null,
  user_data jsonb not null,
  status text not null check (
    status in (
      'pending', 'queued', 'in-progress', 'retrying', 'completed', 'no-answer', 'busy', 'failed', 'voicemail',
      'canceled', 'skipped'
    )
  ),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- The last one.
  call_id text collate "C",
  duration_seconds integer not null default 0,
  hangup_reason text not null default '',
  -- Of all its calls.
  cost_paise bigint not null default 0,
  updated_at timestamptz not null,
  primary key (workspace_id, batch_id, row),
  foreign key (workspace_id, batch_id) references batches (workspace_id, id) on delete cascade
);

-- Next contacts: pending ones in the order of the list, then retries.
create index batch_contacts_pending on batch_contacts (workspace_id, batch_id, row) where status = 'pending';
create index batch_contacts_retrying on batch_contacts (workspace_id, batch_id, next_attempt_at, row)
  where status = 'retrying';
-- Contacts with an open call: few, however long the list.
create index batch_contacts_open on batch_contacts (workspace_id, batch_id, row) include (call_id, status)
  where status in ('queued', 'in-progress');
create index batch_contacts_of_status on batch_contacts (workspace_id, batch_id, status, row);

-- Contacts per status and the cost of their calls. Maintained by the triggers below, so that every statement is counted and a
-- list of 200 batches does not count two million rows. Contacts change only under the lock of their batch.
create table batch_counts (
  workspace_id text collate "C" not null,
  batch_id text collate "C" not null,
  status text collate "C" not null,
  contacts integer not null,
  cost_paise bigint not null,
  primary key (workspace_id, batch_id, status),
  foreign key (workspace_id, batch_id) references batches (workspace_id, id) on delete cascade
);

create function count_new_batch_contacts() returns trigger language plpgsql as $$
begin
  insert into batch_counts as known (workspace_id, batch_id, status, contacts, cost_paise)
  select workspace_id, batch_id, status, count(*), sum(cost_paise) from new_rows
  group by workspace_id, batch_id, status
  on conflict (workspace_id, batch_id, status) do update set
    contacts = known.contacts + excluded.contacts, cost_paise = known.cost_paise + excluded.cost_paise;
  return null;
end $$;

create function count_moved_batch_contacts() returns trigger language plpgsql as $$
begin
  insert into batch_counts as known (workspace_id, batch_id, status, contacts, cost_paise)
  select workspace_id, batch_id, status, sum(contacts), sum(cost_paise)
  from (
    select workspace_id, batch_id, status, 1 as contacts, cost_paise from new_rows
    union all
    select workspace_id, batch_id, status, -1, -cost_paise from old_rows
  ) as moved
  group by workspace_id, batch_id, status
  on conflict (workspace_id, batch_id, status) do update set
    contacts = known.contacts + excluded.contacts, cost_paise = known.cost_paise + excluded.cost_paise;
  return null;
end $$;

create trigger batch_contacts_added after insert on batch_contacts
  referencing new table as new_rows for each statement execute function count_new_batch_contacts();
create trigger batch_contacts_moved after update on batch_contacts
  referencing old table as old_rows new table as new_rows for each statement execute function count_moved_batch_contacts();

-- Recent outcomes of a batch's calls.
create index calls_ended_of_batch on calls (workspace_id, batch_id, ended_at) include (status)
  where batch_id is not null and ended_at is not null;
