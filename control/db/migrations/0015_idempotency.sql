-- Requests that must not be carried out twice, and how many requests a key sent in this minute.

create table idempotency_keys (
  workspace_id text collate "C" not null references workspaces (id),
  key text collate "C" not null,
  -- SHA-256 of method, path and body.
  fingerprint bytea not null,
  -- Which request holds it: one that was overtaken writes nothing.
  request_id text not null,
  claimed_at timestamptz not null,
  -- The change is in the database, written in its transaction.
  carried_out boolean not null default false,
  -- Null while the first request runs.
  status integer,
  answer text,
  primary key (workspace_id, key)
);

create index idempotency_keys_age on idempotency_keys (claimed_at);

-- Worth one minute: lost in a crash without harm.
create unlogged table rate_windows (
  workspace_id text collate "C" not null,
  -- `key <id>`, or `app <id of the app> <id of the user>`.
  subject text collate "C" not null,
  -- Minutes since 1970.
  minute bigint not null,
  -- Requests given out to the processes; grows over the limit when it is asked for more.
  count bigint not null,
  primary key (workspace_id, subject)
);

create index rate_windows_age on rate_windows (minute);
