-- Numbers that a workspace buys itself, beside those entered by the service's team.

alter table numbers
  -- As its carrier says; null: entered by the team, so what the number itself shows.
  add column country text check (country ~ '^[A-Z]{2}$'),
  add column type text check (type in ('local', 'mobile', 'toll_free', 'series_140', 'series_160')),
  -- The order that bought it; null: entered by the team, so that the service never releases it at its carrier.
  add column order_id text collate "C",
  -- Covered by the plan's included numbers.
  add column included boolean not null default false,
  -- For 30 days; 0: nothing is charged.
  add column monthly_fee_paise bigint not null default 0 check (monthly_fee_paise >= 0),
  add column bought_by text not null default '',
  add column paid_until timestamptz,
  add column past_due_since timestamptz,
  add column released_at timestamptz;

-- A workspace's list, newest first.
create index numbers_of_workspace on numbers (workspace_id, created_at, number) where status <> 'released';
