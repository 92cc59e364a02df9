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
