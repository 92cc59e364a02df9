-- What each engine said of itself last: a call goes on while its engine lists it, and no heartbeat changes a row of calls.
-- `calls.heartbeat_at` is written by earlier programs only.

create table engines (
  engine_id text collate "C" primary key,
  -- By the engine's clock.
  sent_at timestamptz not null,
  -- By the clock of the control process that wrote it.
  heartbeat_at timestamptz not null,
  call_ids text[] not null
) with (fillfactor = 50);
