-- Browsers in which a user signed in. Failed sign-ins of others do not lock these out.
create table devices (
  -- SHA-256 of the token in the browser's cookie. Several users may sign in in one browser.
  token_hash bytea not null,
  user_id text collate "C" not null references users (id),
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, token_hash)
);
create index devices_token on devices (token_hash);
create index devices_expiry on devices (expires_at);
