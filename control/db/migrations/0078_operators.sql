-- The people who run the operator's commands, each with a key of their own. Until there is one, commands ask for none.
create table operators (
  id text collate "C" primary key,
  name text not null,
  -- What they may run: lists and states, or everything.
  role text not null check (role in ('read', 'change')),
  -- SHA-256.
  key_hash bytea not null unique,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create unique index operators_name on operators (lower(name)) where revoked_at is null;

-- Empty: before people had keys, or the service itself.
alter table service_events add column actor_id text collate "C" not null default '';
