-- Calls to which more is to come lie in a narrow table of their own, `live_calls`; all others in `finished_calls`, by month. The
-- last change of a live call moves its row (`move-finished-calls.ts`), under the row's lock. `calls` is both.
-- needs program 0054: calls lie in two tables, which earlier programs do not move rows between.

-- The first id of a month: ids begin with their milliseconds since 1970.
create function first_id_of_month(month date) returns text language sql immutable strict parallel safe
  return lpad(to_hex((extract(epoch from month::timestamp) * 1000)::bigint), 12, '0');

-- Whether a table that is partitioned by ids has a partition that ends with the month.
create function has_month_partition(parent text, month date) returns boolean language sql stable strict
  return exists (
    select from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = parent::regclass
      and pg_get_expr(relpartbound, pg_class.oid) like
        '%TO (''' || first_id_of_month((month + interval '1 month')::date) || ''')'
  );

-- Adds a month's partition to a table that is partitioned by `key`, an id; rows of the month are moved out of its default partition,
-- `<table>_other`. False when the month has one.
create function add_month_partition(parent text, key text, month date) returns boolean language plpgsql as $$
declare
  partition text := parent || to_char(month, '_YYYY_MM');
  others text := parent || '_other';
  first_id text := first_id_of_month(month);
  end_id text := first_id_of_month((month + interval '1 month')::date);
  columns text;
begin
  if has_month_partition(parent, month) then
    return false;
  end if;
  -- Attached when it is whole: `partition of` would stop every query of the parent meanwhile.
  execute format('create table %I (like %I including defaults including constraints including generated)', partition, parent);
  execute format('lock table %I in access exclusive mode', others);
  -- A row that is moved is neither deleted nor added: what counts rows does not see it.
  execute format('alter table %I disable trigger user', others);
  select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
  where attrelid = parent::regclass and attnum > 0 and not attisdropped and attgenerated = '';
  -- The calls are the same: nothing is counted.
  execute format('alter table %I disable trigger user', others);
  execute format(
    'with moved as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *)
    insert into %5$I (%6$s) select %6$s from moved',
    others, key, first_id, end_id, partition, columns
  );
  execute format('alter table %I enable trigger user', others);
  execute format('alter table %I enable trigger user', others);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, first_id, end_id);
  return true;
end $$;

-- No references to calls: rows move between two tables, and months of calls are dropped as a whole.
alter table call_events drop constraint call_events_workspace_id_call_id_fkey;
alter table transfers drop constraint transfers_workspace_id_call_id_fkey;
alter table after_calls drop constraint after_calls_workspace_id_call_id_fkey;
alter table event_gaps drop constraint event_gaps_call_id_fkey;

-- What is there becomes the first partition as it is, so that nothing is copied however many calls there are.
alter table calls rename to finished_calls_earlier;
alter table finished_calls_earlier
  drop constraint calls_workspace_id_id_key,
  drop constraint calls_workspace_id_fkey,
  add column finished boolean not null default true;
drop index calls_queue, calls_queue_of_agent_alone, calls_queue_of_batch, calls_queue_age, calls_live_of_batch, calls_ringing_age,
  calls_silent, calls_carrier_ended, calls_dial_due, calls_incomplete, calls_of_carrier;

create table calls (like finished_calls_earlier including defaults including constraints) partition by list (finished);
alter table calls alter column finished set default false;
create table live_calls partition of calls for values in (false)
  with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
create table finished_calls partition of calls for values in (true) partition by range (id);
create table finished_calls_other partition of finished_calls default;

insert into live_calls
select live.* from finished_calls_earlier as earlier
cross join lateral jsonb_populate_record(earlier, '{"finished": false}') as live
where earlier.status in ('queued', 'ringing', 'in-progress', 'ended')
  or (earlier.status = 'failed' and earlier.started_at is not null and earlier.completed_at is null);
delete from finished_calls_earlier where id in (select id from live_calls);

-- Every change of a live call maintains these; five, and no more.
alter table live_calls add primary key (id), add foreign key (workspace_id) references workspaces (id);
create index live_calls_newest on live_calls (workspace_id, created_at desc, id desc);
-- The queue of each batch, and of each agent for other calls: a range of it in order, however long the others are.
create index live_calls_queue on live_calls (workspace_id, (coalesce(batch_id, agent_id)), queued_at, id) where status = 'queued';
-- The slots of a workspace, and what the reaper looks at.
create index live_calls_status on live_calls (status, workspace_id) where status <> 'queued';
-- Callbacks of a carrier without our call id; the same inbound call is never accepted twice.
create unique index live_calls_of_carrier on live_calls (provider, provider_call_id) where provider_call_id <> '';

-- Written once for each call.
alter table finished_calls add primary key (id);
create index finished_calls_newest on finished_calls (workspace_id, created_at desc, id desc)
  include (agent_id, batch_id, status, direction, channel, answered_by, duration_seconds);
create index finished_calls_newest_of_agent on finished_calls (workspace_id, agent_id, created_at desc, id desc);
create index finished_calls_newest_of_batch on finished_calls (workspace_id, batch_id, created_at desc, id desc)
  where batch_id is not null;
create index finished_calls_newest_of_status on finished_calls (workspace_id, status, created_at desc, id desc);
create index finished_calls_to_digits on finished_calls (workspace_id, reverse(to_number) text_pattern_ops);
create index finished_calls_from_digits on finished_calls (workspace_id, reverse(from_number) text_pattern_ops);
create index finished_calls_search_text on finished_calls
  using gin (workspace_id, call_search_text(summary, transcript) gin_trgm_ops) where completed_at is not null;
create index finished_calls_started_of_agent on finished_calls (workspace_id, agent_id, started_at) where started_at is not null;
create index finished_calls_ended on finished_calls (workspace_id, ended_at) include (status)
  where ended_at is not null and ringing_at is not null;
create index finished_calls_ended_of_batch on finished_calls (workspace_id, batch_id, ended_at) include (status)
  where batch_id is not null and ended_at is not null;
create index finished_calls_recording_unknown on finished_calls (ended_at) where recording_unknown;
create index finished_calls_recorded_age on finished_calls (ended_at) where recorded;
create index finished_calls_of_carrier on finished_calls (provider, provider_call_id) where provider_call_id <> '';

do $$
declare
  next_month date := date_trunc('month', now() at time zone 'UTC') + interval '1 month';
begin
  -- Made by a clock that was wrong.
  with odd as (delete from finished_calls_earlier where id >= first_id_of_month(next_month) returning *)
  insert into finished_calls_other select * from odd;
  execute format(
    'alter table finished_calls attach partition finished_calls_earlier for values from (minvalue) to (%L)',
    first_id_of_month(next_month)
  );
  for months in 0..2 loop
    perform add_month_partition('finished_calls', 'id', (next_month + months * interval '1 month')::date);
  end loop;
end $$;
