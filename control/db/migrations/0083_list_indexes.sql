-- Finished calls of a number or a duration are counted, and their ids found, without reading the calls: the indexes have what lists are
-- ordered by. Log lines of a level or a part of the service are ranges in the list's order, and rare words are found by their
-- trigrams (PostgreSQL 18, "pg_trgm"): a line's text is its message and its data. 0084 drops what these replace.
-- no transaction
create index concurrently if not exists finished_calls_lasting on finished_calls
  (workspace_id, duration_seconds) include (created_at, id);
create index concurrently if not exists finished_calls_to_number on finished_calls
  (workspace_id, reverse(to_number) text_pattern_ops) include (to_number, created_at, id);
create index concurrently if not exists finished_calls_from_number on finished_calls
  (workspace_id, reverse(from_number) text_pattern_ops) include (from_number, created_at, id);
create index concurrently if not exists server_logs_of_kind on server_logs
  (workspace_id, level, source, at desc, id desc);
create index concurrently if not exists server_logs_words on server_logs using gin
  (workspace_id, lower(message || ' ' || data::text) gin_trgm_ops);
-- What PostgreSQL knows of reversed numbers and of lines' words belongs to these indexes, and those of before go with 0084.
analyze finished_calls;
analyze server_logs;
