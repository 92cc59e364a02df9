-- Idempotency keys, and the counts of the rate limit.

create table idempotency_keys (
  workspace_id text collate "C" not null references workspaces (id),
  key text collate "C" not null,
  -- SHA-256 of method, path and body.
  fingerprint bytea not null,
  -- The request that holds the key: one that was replaced writes nothing.
  request_id text not null,
  claimed_at timestamptz not null,
  -- The change is committed: written in its transaction.
  carried_out boolean not null default false,
  -- Null while the first request runs.
  status integer,
  answer text,
  primary key (workspace_id, key)
);

create index idempotency_keys_age on idempotency_keys (claimed_at);

-- Needed for a minute only, so it may be lost in a crash.
create unlogged table rate_windows (
  workspace_id text collate "C" not null,
  -- `key <id>`, or `app <id of the app> <id of the user>`.
  subject text collate "C" not null,
  -- Minutes since 1970.
  minute bigint not null,
  -- Requests reserved by all processes; may exceed the limit.
  count bigint not null,
  primary key (workspace_id, subject)
);

create index rate_windows_age on rate_windows (minute);
