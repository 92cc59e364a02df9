-- Timelines by month of their call. What is there becomes the first partition as it is: nothing is copied.
-- needs program 0054: the table is another one of the same name.

alter table call_events rename to call_events_earlier;
alter table call_events_earlier rename constraint call_events_pkey to call_events_earlier_pkey;
alter table call_events_earlier
  rename constraint call_events_call_id_source_source_seq_key to call_events_earlier_call_id_source_source_seq_key;
alter index call_events_latencies rename to call_events_earlier_latencies;

create table call_events (like call_events_earlier including defaults including constraints including generated)
  partition by range (call_id);
create table call_events_other partition of call_events default;
alter table call_events add primary key (call_id, seq), add unique (call_id, source, source_seq);
create index call_events_latencies on call_events (workspace_id, call_id) include (latency_stage, latency_ms)
  where latency_stage is not null;

do $$
declare
  next_month date := date_trunc('month', now() at time zone 'UTC') + interval '1 month';
begin
  -- Of ids made by a clock that was wrong.
  with odd as (delete from call_events_earlier where call_id >= first_id_of_month(next_month) returning *)
  insert into call_events_other (
    workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at
  )
  select workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at from odd;
  execute format(
    'alter table call_events attach partition call_events_earlier for values from (minvalue) to (%L)',
    first_id_of_month(next_month)
  );
  for months in 0..2 loop
    perform add_month_partition('call_events', 'call_id', (next_month + months * interval '1 month')::date);
  end loop;
end $$;
