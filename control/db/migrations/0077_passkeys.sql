-- Passkeys (WebAuthn) as a second factor. A user whose only second factor is a passkey has `two_factor_enabled_at` without
-- `two_factor_secret`; the program of before asks such a user for a recovery code.
create table passkeys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id),
  credential_id bytea not null unique,
  -- A COSE key.
  public_key bytea not null,
  -- Of signatures, as the authenticator counts them; 0 where it does not.
  sign_count bigint not null,
  -- How a browser reaches the authenticator.
  transports text[] not null default '{}',
  -- It is synced between the user's devices.
  synced boolean not null default false,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id, created_at);

-- What an authenticator has to sign. One for each session or login token and purpose; each is used once.
create table passkey_challenges (
  purpose text not null check (purpose in ('registration', 'sign_in', 'confirmation')),
  -- The id of the session, or the hash of the login token in hex.
  bound_to text collate "C" not null,
  user_id text collate "C" not null references users (id),
  challenge text collate "C" not null,
  expires_at timestamptz not null,
  primary key (purpose, bound_to)
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);

-- Passkeys end with two-step sign-in, whatever ends that: the user, a new password for an address that was never confirmed, the
-- end of the account, the program of before.
create function end_passkeys() returns trigger language plpgsql as $$
begin
  delete from passkeys where user_id = new.id;
  return null;
end $$;

create trigger end_passkeys after update of two_factor_enabled_at on users
for each row when (old.two_factor_enabled_at is not null and new.two_factor_enabled_at is null)
execute function end_passkeys();
