-- What the ledger says of calls, prompts and tests, added up by quarter of an hour, because zones begin their days on one: the usage of
-- a month reads these rows, and not every charge. A job adds the rows of the ledger, which are numbered without gaps for each
-- workspace and never change; readers add the newest themselves, so the usage is exact at any moment.
create table ledger_usage (
  workspace_id text collate "C" not null,
  quarter timestamptz not null,
  -- Charged ones.
  calls bigint not null,
  seconds bigint not null,
  amount_paise bigint not null,
  primary key (workspace_id, quarter)
) with (fillfactor = 80);

-- The number of the last row of the ledger that is added up.
create table ledger_usage_progress (
  workspace_id text collate "C" primary key,
  seq bigint not null
) with (fillfactor = 50);

-- The indexes of 0083 are read in their place.
drop index finished_calls_of_duration, finished_calls_to_digits, finished_calls_from_digits, server_logs_problems;

-- Lists are counted in indexes alone where pages are known to be visible to everybody, and only vacuum says so. By default a fifth of a
-- table is added before it looks at the new pages, which is a week of a month's calls (PostgreSQL 18, "Index-Only Scans and Covering
-- Indexes", "Routine Vacuuming"). It reads new pages only, so that it costs the same as later.
do $$
declare
  large text;
begin
  foreach large in array array['ledger', 'webhook_deliveries', 'server_logs', 'audit_events'] || array(
    select tree.relid::regclass::text
    from unnest(array['finished_calls', 'call_events', 'call_search_texts']) as parent
    cross join lateral pg_partition_tree(parent::regclass) as tree where tree.isleaf
  ) loop
    execute format(
      'alter table %s set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000)', large
    );
  end loop;
end $$;

-- As in 0054, with the same setting for each new month.
create or replace function add_month_partition(parent text, key text, month date) returns boolean language plpgsql as $$
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
  execute format(
    'create table %I (like %I including defaults including constraints including generated)
      with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000)',
    partition, parent
  );
  execute format('lock table %I in access exclusive mode', others);
  -- A row that is moved is neither deleted nor added: what counts rows does not see it.
  execute format('alter table %I disable trigger user', others);
  select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
  where attrelid = parent::regclass and attnum > 0 and not attisdropped and attgenerated = '';
  execute format(
    'with moved as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *)
    insert into %5$I (%6$s) select %6$s from moved',
    others, key, first_id, end_id, partition, columns
  );
  execute format('alter table %I enable trigger user', others);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, first_id, end_id);
  return true;
end $$;
