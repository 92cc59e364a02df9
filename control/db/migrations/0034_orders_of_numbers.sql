-- Buying numbers at carriers, so that a purchase survives its process and an answer that never came.

-- What searches found last: a purchase needs the carrier and the price that were shown.
create table number_offers (
  number text collate "C" primary key,
  provider text not null,
  country text not null,
  type text not null,
  -- `{monthly, setup, currency}`; null: the carrier names none.
  price jsonb,
  offered_at timestamptz not null
);
create index number_offers_by_age on number_offers (offered_at);

-- Written before the carrier is asked, with the fee taken in the same transaction.
create table number_orders (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  number text collate "C" not null,
  provider text not null,
  country text not null,
  type text not null,
  -- failed: not bought, and the fee is given back. releasing: given up here, not yet at the carrier.
  state text not null check (state in ('ordering', 'bought', 'failed', 'releasing', 'released')),
  included boolean not null,
  monthly_fee_paise bigint not null check (monthly_fee_paise >= 0),
  -- Taken at once: the fee of 30 days and what the carrier takes once.
  charged_paise bigint not null check (charged_paise >= 0),
  ordered_by text not null,
  created_at timestamptz not null,
  settled_at timestamptz,
  reason text not null default '',
  -- How often the carrier said that the account does not have the number.
  absent_looks integer not null default 0,
  -- Nobody else works on it before; a process that dies leaves it to the next one.
  next_attempt_at timestamptz not null,
  primary key (workspace_id, id)
);
-- One order of a number at a time, over all workspaces.
create unique index number_orders_open on number_orders (number) where state in ('ordering', 'bought', 'releasing');
create index number_orders_due on number_orders (next_attempt_at) where state in ('ordering', 'releasing');
