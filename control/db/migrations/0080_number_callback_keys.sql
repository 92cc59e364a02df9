-- Keys that a carrier without signatures proves callbacks about one number with. Beside the service's own key, which such a number's
-- callbacks do not have any more.
create table number_callback_keys (
  number text collate "C" not null references numbers (number) on delete cascade,
  key_hash bytea not null,
  created_at timestamptz not null,
  -- Set when a newer one was made; null for the newest.
  expires_at timestamptz,
  primary key (number, key_hash)
);
