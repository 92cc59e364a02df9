-- Recordings in chunks, and the filters of the list of calls.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- The engine did not report the call's end: whether its recording has chunks in the store has to be looked up.
alter table calls add column recording_unknown boolean not null default false;
create index calls_recording_unknown on calls (ended_at) where recording_unknown;
-- Recordings are kept for a year.
create index calls_recorded_age on calls (ended_at) where recorded;

-- The list with its filters: pages and counts are index-only scans.
drop index calls_newest;
create index calls_newest on calls (workspace_id, created_at desc, id desc)
  include (agent_id, batch_id, status, direction, channel, answered_by, duration_seconds);
create index calls_newest_of_status on calls (workspace_id, status, created_at desc, id desc);

-- Transcript and summary, for the filter `q`.
create function call_words(summary text, transcript jsonb) returns text
  language sql immutable parallel safe strict
  return summary || (
    select coalesce(string_agg(E'\n' || (line ->> 'text'), ''), '') from jsonb_array_elements(transcript) as line
  );
-- Calls are indexed once they cannot change any more, as a live call's transcript grows with every sentence.
create index calls_words on calls using gin (workspace_id, call_words(summary, transcript) gin_trgm_ops)
  where completed_at is not null;
-- The other calls with a transcript; few at any time.
create index calls_incomplete on calls (workspace_id) where started_at is not null and completed_at is null;
