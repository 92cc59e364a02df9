-- What makes a carrier's callback one of its kind (its nonce, or its signature), as a hash, so that it is handled once. Kept for as long
-- as the carrier's signature is valid.
create table carrier_callbacks (
  provider text collate "C" not null,
  proof_hash bytea not null,
  -- Handled or not: a process may have died over it.
  begun_at timestamptz not null,
  handled boolean not null default false,
  expires_at timestamptz not null,
  primary key (provider, proof_hash)
);
create index carrier_callbacks_expiry on carrier_callbacks (expires_at);
