-- What calls are searched by (`q`), in a table of its own, by month: the words of a finished call as plain text in lower case, beside
-- what lists filter by. It is written in sets by a job, not by the transaction that ends a call; until then a call is one row of
-- `call_search_changes`, written by a trigger, and searched as it is. 0067 adds the calls of before.

-- Numbers that stand for parts of a text: the three letters before each space with the three after it, which find a phrase of frequent
-- words, and two and three letters in a row of words that are not in Latin letters, which have no trigrams in every locale.
-- The hashes are the same in each version of PostgreSQL, because its hash indexes need them.
create function call_search_keys(text text) returns integer[] language plpgsql immutable strict parallel safe as $$
declare
  word text;
  before text;
  keys integer[] := '{}';
begin
  foreach word in array string_to_array(text, ' ') loop
    if before is not null then
      keys := keys || hashtext(before || ' ' || left(word, 3));
    end if;
    before := right(word, 3);
  end loop;
  if octet_length(text) > length(text) then
    keys := keys || array(
      select hashtext(substr(other, place, letters))
      from (
        select distinct other from string_to_table(text, ' ') as other where octet_length(other) > length(other)
      ) as others
      cross join (values (2), (3)) as sizes (letters)
      cross join lateral generate_series(1, length(other) - letters + 1) as place
    );
  end if;
  return keys;
end $$;

create table call_search_texts (
  workspace_id text collate "C" not null,
  -- The call's.
  id text collate "C" not null,
  created_at timestamptz not null,
  agent_id text collate "C",
  batch_id text collate "C",
  status text collate "C" not null,
  direction text collate "C" not null,
  channel text collate "C" not null,
  answered_by text collate "C",
  from_number text collate "C" not null,
  to_number text collate "C" not null,
  duration_seconds integer not null,
  text text collate "C" not null,
  primary key (id)
) partition by range (id);
create index call_search_texts_newest on call_search_texts (workspace_id, created_at desc, id desc);
-- What is in few calls, be it by its words or by other filters.
create index call_search_texts_words on call_search_texts using gin (
  workspace_id, agent_id, batch_id, status, direction, channel, answered_by, call_search_keys(text), text gin_trgm_ops
);

create table call_search_texts_other partition of call_search_texts default;
do $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
begin
  execute format(
    'create table call_search_texts_earlier partition of call_search_texts for values from (minvalue) to (%L)',
    first_id_of_month(this_month)
  );
  for months in 0..3 loop
    perform add_month_partition('call_search_texts', 'id', (this_month + months * interval '1 month')::date);
  end loop;
end $$;

-- Calls whose text is to be written, or deleted with the call.
create table call_search_changes (
  workspace_id text collate "C" not null,
  seq bigint generated always as identity,
  call_id text collate "C" not null,
  primary key (workspace_id, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

create function record_call_search_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into call_search_changes (workspace_id, call_id) values (old.workspace_id, old.id);
  else
    insert into call_search_changes (workspace_id, call_id) values (new.workspace_id, new.id);
  end if;
  return null;
end $$;

create trigger finished_calls_to_search after insert on finished_calls
  for each row when (new.started_at is not null) execute function record_call_search_change();
create trigger finished_calls_not_to_search after delete on finished_calls
  for each row when (old.started_at is not null) execute function record_call_search_change();
create trigger finished_calls_search_changed after update on finished_calls
  for each row when (
    (old.created_at, old.agent_id, old.batch_id, old.status, old.direction, old.channel, old.answered_by, old.from_number, old.to_number,
      old.started_at, old.duration_seconds, old.summary, old.transcript)
    is distinct from
    (new.created_at, new.agent_id, new.batch_id, new.status, new.direction, new.channel, new.answered_by, new.from_number, new.to_number,
      new.started_at, new.duration_seconds, new.summary, new.transcript)
  ) execute function record_call_search_change();

drop index finished_calls_search_text;
