-- What an API key may be limited to, where it was used last, and the key that replaces it. When somebody entered their password or
-- second factor in a session, and what of the specification the workspace restricts. The program before knows no limits of a key, so
-- a key with limits is one after it has stopped.
alter table api_keys
  -- Null: everything that keys may do.
  add column scopes text[] collate "C",
  add column expires_at timestamptz,
  -- Addresses and networks (CIDR) it may be used from; empty: any.
  add column allowed_addresses text[] not null default '{}',
  add column last_used_address text not null default '',
  add column replaced_by text collate "C";

alter table sessions add column confirmed_at timestamptz;

alter table workspaces
  add column keys_may_make_keys boolean not null default false,
  add column confirm_password boolean not null default true;
