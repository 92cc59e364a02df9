-- Plans, limits and profiles of workspaces, invites, and requests for higher limits.

-- The limits of a plan; its prices follow in 0014.
create table plans (
  id text collate "C" primary key check (id ~ '^[a-z0-9_-]{1,32}$'),
  name text not null,
  -- Live calls at most.
  concurrency_limit integer not null check (concurrency_limit between 1 and 100),
  -- Members and pending invites; null: no limit.
  member_limit integer check (member_limit > 0)
);

insert into plans (id, name, concurrency_limit, member_limit) values
  ('starter', 'Starter', 5, 5),
  ('growth', 'Growth', 15, 20),
  ('scale', 'Scale', 40, null),
  ('enterprise', 'Enterprise', 100, null);

-- `workspaces.concurrency_limit` is the effective limit of live calls: the plan's or the workspace's own, whichever is higher,
-- plus the extra lines; 100 at most.
alter table workspaces
  add column plan_id text collate "C" not null default 'starter' references plans (id),
  -- Granted on request; null: the plan's.
  add column own_concurrency_limit integer check (own_concurrency_limit between 1 and 100),
  add column extra_lines integer not null default 0 check (extra_lines between 0 and 100),
  -- For each of its keys and connected apps.
  add column api_requests_per_minute integer not null default 120 check (api_requests_per_minute > 0),
  -- Empty: the owner.
  add column alert_emails text[] not null default '{}' check (cardinality(alert_emails) <= 5),
  -- The profile: the fields that were filled in.
  add column profile jsonb not null default '{}',
  add column system_logs_enabled boolean not null default true,
  add column system_logs_level text not null default 'info' check (system_logs_level in ('info', 'warning', 'error'));

create table invites (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  -- Lower case.
  email text not null,
  role text not null check (role in ('admin', 'developer', 'viewer')),
  -- SHA-256 of the token in the link: 128 random bits need no slow hash.
  token_hash bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  -- Revoked, or replaced after it had expired.
  revoked_at timestamptz,
  primary key (workspace_id, id)
);

-- One open invite per address.
create unique index invites_open on invites (workspace_id, email) where accepted_at is null and revoked_at is null;

create table limit_requests (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  requested_limit integer not null check (requested_limit between 1 and 100),
  reason text not null,
  status text not null default 'open' check (status in ('open', 'approved', 'declined')),
  answer text not null default '',
  requested_by text not null,
  created_at timestamptz not null,
  decided_at timestamptz,
  primary key (workspace_id, id)
);

-- One open request at a time.
create unique index limit_requests_open on limit_requests (workspace_id) where status = 'open';

-- Keys that were not revoked.
create index api_keys_working on api_keys (workspace_id, id) where revoked_at is null;
