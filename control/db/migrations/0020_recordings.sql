-- Recordings in pieces, and the filters of the list of calls.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- The engine did not tell the call's end: whether pieces of its recording lie in the store is to be looked up.
alter table calls add column recording_unknown boolean not null default false;
create index calls_recording_unknown on calls (ended_at) where recording_unknown;
-- Recordings are kept for a year.
create index calls_recorded_age on calls (ended_at) where recorded;

-- The list with what it is filtered by: pages are found, and matches are counted, in the index alone.
drop index calls_newest;
create index calls_newest on calls (workspace_id, created_at desc, id desc)
  include (agent_id, batch_id, status, direction, channel, answered_by, duration_seconds);
create index calls_newest_of_status on calls (workspace_id, status, created_at desc, id desc);

-- What was said and summed up, for the filter `q`.
create function call_words(summary text, transcript jsonb) returns text
  language sql immutable parallel safe strict
  return summary || (
    select coalesce(string_agg(E'\n' || (line ->> 'text'), ''), '') from jsonb_array_elements(transcript) as line
  );
-- Calls get into it once, when nothing of them changes any more: a live call's transcript grows with every sentence.
create index calls_words on calls using gin (workspace_id, call_words(summary, transcript) gin_trgm_ops)
  where completed_at is not null;
-- The others that have words; few at any time.
create index calls_incomplete on calls (workspace_id) where started_at is not null and completed_at is null;
