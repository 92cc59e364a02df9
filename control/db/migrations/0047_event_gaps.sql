-- Events of a call are applied in the order of their numbers: what is missing is read from the bus, or waited for.

-- Position in the bus's stream of the last media event applied.
alter table calls add column media_stream_seq bigint not null default 0;

-- Calls whose next event is missing, also in the stream.
create table event_gaps (
  call_id text collate "C" primary key references calls (id) on delete cascade,
  -- The last number before the gap.
  after_seq integer not null,
  first_seen_at timestamptz not null
);

-- The engine's number and the position in the stream: an event that is delivered again is put aside once.
alter table dead_events add column seq integer;
alter table dead_events add column position bigint;
create unique index dead_events_once on dead_events (call_id, position);
