-- Totals of finished calls, so that figures over months and the `total` of a list read a few rows. Every change of a finished call is
-- one row more in `call_changes`, written in the change's own transaction by a trigger and by nobody else; a job adds them to the totals.
-- Totals, and the changes that are not yet added, are exact at any moment.

-- Latencies are counted in buckets a fiftieth to a fortieth of the value wide: 1 ms below 50 ms, 2 below 100, 5 below 250, 10 below 500,
-- 20 below 1,000 and so on. The list is also in control/call-totals/latency-histogram.ts.
create function latency_bucket(ms integer) returns integer language sql immutable strict parallel safe
  return case
    when ms < 50 then greatest(ms, 0)
    when ms < 100 then 50 + (ms - 50 + 1) / 2
    when ms < 250 then 75 + (ms - 100 + 2) / 5
    when ms < 500 then 105 + (ms - 250 + 5) / 10
    when ms < 1000 then 130 + (ms - 500 + 10) / 20
    when ms < 2500 then 155 + (ms - 1000 + 25) / 50
    when ms < 5000 then 185 + (ms - 2500 + 50) / 100
    when ms < 10000 then 210 + (ms - 5000 + 100) / 200
    when ms < 25000 then 235 + (ms - 10000 + 250) / 500
    when ms < 50000 then 265 + (ms - 25000 + 500) / 1000
    when ms < 100000 then 290 + (ms - 50000 + 1000) / 2000
    else 315
  end;

-- A histogram is one number: the count of bucket n in its eight decimal digits from the 8n-th on. So histograms are added by `sum`.
create function latency_histogram(ms integer) returns numeric language sql immutable strict parallel safe
  return ('1e' || (8 * latency_bucket(ms))::text)::numeric;

-- What was measured in a call, from its timeline.
create function latencies_of_call(of_workspace text, of_call text)
  returns table (first_audio numeric, llm_first_token numeric, welcome numeric, tool numeric) language sql stable parallel safe
as $$
  select coalesce(sum(latency_histogram(latency_ms)) filter (where latency_stage = 'first_audio'), 0),
    coalesce(sum(latency_histogram(latency_ms)) filter (where latency_stage = 'llm_first_token'), 0),
    coalesce(sum(latency_histogram(latency_ms)) filter (where latency_stage = 'welcome'), 0),
    coalesce(sum(latency_histogram(latency_ms)) filter (where latency_stage = 'tool'), 0)
  from call_events
  where workspace_id = of_workspace and call_id = of_call and latency_stage is not null
$$;

-- Not yet added to the totals. Texts are collated as those of calls, whose indexes are searched by them.
create table call_changes (
  workspace_id text collate "C" not null,
  seq bigint generated always as identity,
  -- 1: a call as it is now; -1: as it was before.
  calls smallint not null,
  agent_id text collate "C",
  created_at timestamptz not null,
  status text not null,
  direction text not null,
  channel text not null,
  -- Empty where it is not known.
  answered_by text not null,
  hangup_reason text not null,
  connected boolean not null,
  ended boolean not null,
  duration_seconds integer not null,
  cost_paise bigint not null,
  first_audio numeric not null default 0,
  llm_first_token numeric not null default 0,
  welcome numeric not null default 0,
  tool numeric not null default 0,
  primary key (workspace_id, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Of every agent, and of all together with the agent '', for quarters of an hour: zones begin their hours and days on one.
create table call_totals (
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  quarter timestamptz not null,
  calls bigint not null,
  connected bigint not null,
  -- Connected calls that have ended.
  measured bigint not null,
  completed bigint not null,
  failed bigint not null,
  no_answer bigint not null,
  busy bigint not null,
  canceled bigint not null,
  voicemail bigint not null,
  duration_seconds bigint not null,
  cost_paise bigint not null,
  first_audio numeric not null,
  llm_first_token numeric not null,
  welcome numeric not null,
  tool numeric not null,
  primary key (workspace_id, agent_id, quarter)
) with (fillfactor = 80);

-- For the totals of lists with their filters: by day and by month in UTC.
create table call_counts (
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  span text collate "C" not null check (span in ('day', 'month')),
  starts_on date not null,
  status text not null,
  direction text not null,
  channel text not null,
  answered_by text not null,
  calls bigint not null,
  primary key (workspace_id, agent_id, span, starts_on, status, direction, channel, answered_by)
) with (fillfactor = 80);

-- By hour in UTC.
create table call_hangup_reasons (
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  hour timestamptz not null,
  hangup_reason text not null,
  calls bigint not null,
  primary key (workspace_id, agent_id, hour, hangup_reason)
) with (fillfactor = 80);

-- A plan for this call's partition alone would be made for each call, which takes fifteen times as long as what it saves.
create function record_call_change() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  if tg_op = 'UPDATE' then
    -- What was measured stays.
    insert into call_changes (
      workspace_id, calls, agent_id, created_at, status, direction, channel, answered_by, hangup_reason, connected, ended,
      duration_seconds, cost_paise
    ) values (
      old.workspace_id, -1, old.agent_id, old.created_at, old.status, old.direction, old.channel, coalesce(old.answered_by, ''),
      old.hangup_reason, old.started_at is not null, old.ended_at is not null, old.duration_seconds, old.cost_paise
    ), (
      new.workspace_id, 1, new.agent_id, new.created_at, new.status, new.direction, new.channel, coalesce(new.answered_by, ''),
      new.hangup_reason, new.started_at is not null, new.ended_at is not null, new.duration_seconds, new.cost_paise
    );
    return null;
  end if;
  if tg_op = 'DELETE' then
    new := old;
  end if;
  if new.started_at is null then
    insert into call_changes (
      workspace_id, calls, agent_id, created_at, status, direction, channel, answered_by, hangup_reason, connected, ended,
      duration_seconds, cost_paise
    ) values (
      new.workspace_id, case tg_op when 'INSERT' then 1 else -1 end, new.agent_id, new.created_at, new.status, new.direction,
      new.channel, coalesce(new.answered_by, ''), new.hangup_reason, false, new.ended_at is not null, new.duration_seconds,
      new.cost_paise
    );
  else
    insert into call_changes (
      workspace_id, calls, agent_id, created_at, status, direction, channel, answered_by, hangup_reason, connected, ended,
      duration_seconds, cost_paise, first_audio, llm_first_token, welcome, tool
    )
    select new.workspace_id, case tg_op when 'INSERT' then 1 else -1 end, new.agent_id, new.created_at, new.status, new.direction,
      new.channel, coalesce(new.answered_by, ''), new.hangup_reason, true, new.ended_at is not null, new.duration_seconds,
      new.cost_paise, measured.*
    from latencies_of_call(new.workspace_id, new.id) as measured;
  end if;
  return null;
end $$;

create trigger finished_calls_counted after insert or delete on finished_calls
  for each row execute function record_call_change();
create trigger finished_calls_recounted after update on finished_calls
  for each row when (
    (old.agent_id, old.created_at, old.status, old.answered_by, old.hangup_reason, old.started_at, old.ended_at, old.duration_seconds,
      old.cost_paise)
    is distinct from
    (new.agent_id, new.created_at, new.status, new.answered_by, new.hangup_reason, new.started_at, new.ended_at, new.duration_seconds,
      new.cost_paise)
  ) execute function record_call_change();

-- What is there is counted by the same job.
insert into call_changes (
  workspace_id, calls, agent_id, created_at, status, direction, channel, answered_by, hangup_reason, connected, ended,
  duration_seconds, cost_paise, first_audio, llm_first_token, welcome, tool
)
select workspace_id, 1, agent_id, created_at, status, direction, channel, coalesce(answered_by, ''), hangup_reason,
  started_at is not null, ended_at is not null, duration_seconds, cost_paise, measured.*
from finished_calls cross join lateral latencies_of_call(workspace_id, id) as measured;

-- The lists of 0062, and the totals, are read in their place.
drop index finished_calls_newest_of_status, finished_calls_newest_of_agent, finished_calls_started_of_agent;
