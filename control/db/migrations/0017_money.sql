-- Prepaid credits: one wallet per workspace, and a ledger of its movements.

-- One row, so that its lock serialises all charges of a workspace.
create table wallets (
  workspace_id text collate "C" primary key references workspaces (id),
  -- Credits are the sum of both, in the smallest unit of the workspace's currency. Below zero: a debt.
  paid_paise bigint not null default 0,
  -- Spent first.
  free_paise bigint not null default 0 check (free_paise >= 0),
  -- Of the last row of the ledger.
  seq bigint not null default 0,
  -- Included minutes of the cycle, and its end; null: no paid plan.
  plan_seconds_left integer not null default 0 check (plan_seconds_left >= 0),
  plan_seconds_total integer not null default 0 check (plan_seconds_total >= 0),
  plan_cycle_end timestamptz,
  -- The renewal could not be paid; its minutes are suspended.
  plan_past_due_since timestamptz,
  opened_at timestamptz not null
);

create table ledger (
  -- Writers hold the wallet's row anyway, so this reference locks nothing else.
  workspace_id text collate "C" not null references wallets (workspace_id),
  -- Order, without gaps.
  seq bigint not null,
  id text collate "C" not null unique,
  -- Idempotency key: the same twice is one charge.
  key text collate "C" not null,
  at timestamptz not null,
  kind text not null check (
    kind in ('grant', 'coupon', 'topup', 'call', 'plan', 'number', 'caller_id', 'lines', 'composer', 'test', 'conversion', 'adjustment')
  ),
  -- Negative: a charge.
  amount_paise bigint not null,
  paid_paise bigint not null,
  free_paise bigint not null,
  balance_after_paise bigint not null,
  currency text not null,
  note text not null,
  call_id text collate "C",
  payment_id text collate "C",
  by_name text not null,
  -- Included seconds it used up.
  plan_seconds integer not null default 0,
  -- For a call: how long the agent was live, and the basis of later charges of the same call.
  seconds integer,
  basis jsonb,
  check (paid_paise + free_paise = amount_paise),
  primary key (workspace_id, seq),
  unique (workspace_id, key)
);
create index ledger_of_call on ledger (workspace_id, call_id, seq) where call_id is not null;
-- For the usage of a month.
create index ledger_use on ledger (workspace_id, at) where kind in ('call', 'composer', 'test');

-- Legs of a transfer end after the engine's part of the call, and are charged then.
alter table transfers add column charged_at timestamptz;
create index transfers_not_charged on transfers (settled_at)
  where charged_at is null and caller_left_at is not null and status is not null;

create table coupon_redemptions (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  coupon_id text collate "C" not null references coupons (id),
  kind text not null check (kind in ('credit', 'topup_bonus')),
  redeemed_by text not null,
  redeemed_at timestamptz not null,
  -- Of a bonus: the top-up that took it. A credit is used at once.
  used_at timestamptz,
  primary key (workspace_id, id)
);
create index coupon_redemptions_of_coupon on coupon_redemptions (coupon_id, workspace_id);
-- One unused bonus at a time.
create unique index coupon_bonus_waiting on coupon_redemptions (workspace_id) where kind = 'topup_bonus' and used_at is null;

-- Credit packs, and the team's changes to them.
create table packs (
  id text collate "C" primary key check (id ~ '^[a-z0-9_-]{1,32}$'),
  name text not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- Free credits on top.
  bonus_paise bigint not null default 0 check (bonus_paise >= 0),
  currency text not null check (currency in ('INR', 'USD')),
  popular boolean not null default false,
  position integer not null default 100
);
insert into packs (id, name, amount_paise, bonus_paise, currency, popular, position) values
  ('inr-1000', '₹1,000', 100000, 0, 'INR', false, 1),
  ('inr-5000', '₹5,000', 500000, 25000, 'INR', true, 2),
  ('inr-20000', '₹20,000', 2000000, 200000, 'INR', false, 3),
  ('usd-20', '$20', 2000, 0, 'USD', false, 1),
  ('usd-100', '$100', 10000, 500, 'USD', true, 2),
  ('usd-400', '$400', 40000, 4000, 'USD', false, 3);

-- Existing workspaces get a wallet with the team's grants and the welcome credits.
insert into wallets (workspace_id, opened_at) select id, created_at from workspaces;
do $$
declare
  given record;
  wallet wallets;
  free bigint;
begin
  for given in
    select id as workspace_id, id, 'welcome' as key, created_at as at, 'grant' as kind, 25000::bigint as amount, currency,
      'welcome credits' as note, '' as by_name, 0 as turn
    from workspaces where currency = 'INR' and state <> 'closed'
    union all
    select workspace_id, id, 'grant:' || id, created_at, kind, amount_paise, currency, note, by_name, 1 from grants
    order by turn, id
  loop
    select * into wallet from wallets where workspace_id = given.workspace_id;
    free := case
      when given.amount < 0 then greatest(given.amount, -wallet.free_paise)
      when given.kind = 'grant' then given.amount
      else 0
    end;
    update wallets set free_paise = free_paise + free, paid_paise = paid_paise + given.amount - free, seq = seq + 1
    where workspace_id = given.workspace_id;
    insert into ledger (workspace_id, seq, id, key, at, kind, amount_paise, paid_paise, free_paise, balance_after_paise, currency,
      note, by_name)
    values (given.workspace_id, wallet.seq + 1, given.id, given.key, given.at, given.kind, given.amount, given.amount - free, free,
      wallet.paid_paise + wallet.free_paise + given.amount, given.currency, given.note, given.by_name);
  end loop;
end $$;
drop table grants;
