-- A call whose text cannot be written waits an hour, so that those of other calls do not wait for it.
alter table call_search_changes add column not_before timestamptz not null default '-infinity';
