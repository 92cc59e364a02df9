-- Users, their credentials, and emails. A user belongs to no workspace: memberships grant access.

create table users (
  id text collate "C" primary key,
  name text not null,
  -- Lower case. Empty for deleted users.
  email text not null check (email = lower(email)),
  -- Not confirmed yet.
  pending_email text not null default '',
  email_verified_at timestamptz,
  -- Empty for deleted users, which no password matches.
  password_hash text not null,
  timezone text not null default 'Asia/Kolkata',
  avatar jsonb,
  -- Base 32; both null while two-step sign-in is off.
  two_factor_secret text,
  two_factor_enabled_at timestamptz,
  -- The last step of 30 seconds whose code was used: each works once.
  two_factor_last_step bigint not null default 0,
  -- A secret that was shown, before its first code was entered.
  two_factor_offered_secret text,
  two_factor_offered_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index users_email on users (email) where deleted_at is null;

create table memberships (
  workspace_id text collate "C" not null references workspaces (id),
  user_id text collate "C" not null references users (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  joined_at timestamptz not null,
  last_seen_at timestamptz,
  primary key (workspace_id, user_id)
);
create index memberships_user on memberships (user_id, joined_at);

create table sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id),
  -- SHA-256 of the token: 256 random bits need no slow hash. The same holds for every token below.
  token_hash bytea not null unique,
  -- Browser and system, as far as known.
  client text not null default '',
  address text not null default '',
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_user on sessions (user_id, created_at desc);
create index sessions_expiry on sessions (expires_at);

create table recovery_codes (
  user_id text collate "C" not null references users (id),
  hash bytea not null,
  primary key (user_id, hash)
);

-- Between the password and the second step.
create table login_tokens (
  token_hash bytea primary key,
  user_id text collate "C" not null references users (id),
  tries_left integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index login_tokens_user on login_tokens (user_id);
create index login_tokens_expiry on login_tokens (expires_at);

-- Attempts for throttling: failed sign-ins and sign-ups, by client address, by email (hashed), by mail domain.
create table attempts (
  subject text primary key,
  happened_at timestamptz[] not null,
  forget_at timestamptz not null
);
create index attempts_forget on attempts (forget_at);

-- Links in emails: a new password, a verified address, a new address.
create table email_links (
  token_hash bytea primary key,
  user_id text collate "C" not null references users (id),
  purpose text not null check (purpose in ('reset_password', 'verify_email', 'change_email')),
  -- A link to an address that is no longer the user's does nothing.
  email text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index email_links_user on email_links (user_id, purpose);
create index email_links_expiry on email_links (expires_at);

-- Emails, written in the transaction of what they are about and sent after it.
create table mail_outbox (
  id text collate "C" primary key,
  recipient text not null,
  subject text not null,
  -- Emptied once sent: it may hold a link that opens an account.
  body text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  last_error text not null default '',
  sent_at timestamptz,
  failed_at timestamptz
);
create index mail_outbox_due on mail_outbox (next_attempt_at) where sent_at is null and failed_at is null;
create index mail_outbox_age on mail_outbox (created_at);

-- Apps that users may connect to a workspace (OAuth 2.0, authorization code with PKCE).
create table oauth_apps (
  id text collate "C" primary key,
  name text not null,
  redirect_uris text[] not null,
  -- Null for public clients; PKCE is required of all.
  secret_hash bytea,
  created_at timestamptz not null,
  disabled_at timestamptz
);

-- A connection of an app, for a user, in a workspace.
create table oauth_grants (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null unique,
  app_id text collate "C" not null references oauth_apps (id),
  user_id text collate "C" not null references users (id),
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id)
);
create index oauth_grants_user on oauth_grants (user_id, created_at desc);
create index oauth_grants_app on oauth_grants (app_id);

create table oauth_codes (
  code_hash bytea primary key,
  workspace_id text collate "C" not null,
  grant_id text collate "C" not null,
  redirect_uri text not null,
  code_challenge text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (workspace_id, grant_id) references oauth_grants (workspace_id, id)
);
create index oauth_codes_expiry on oauth_codes (expires_at);
create index oauth_codes_grant on oauth_codes (workspace_id, grant_id);

create table oauth_tokens (
  token_hash bytea primary key,
  workspace_id text collate "C" not null,
  grant_id text collate "C" not null,
  kind text not null check (kind in ('access', 'refresh')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A refresh token works once; a second use revokes the grant.
  used_at timestamptz,
  revoked_at timestamptz,
  foreign key (workspace_id, grant_id) references oauth_grants (workspace_id, id)
);
create index oauth_tokens_grant on oauth_tokens (workspace_id, grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);
