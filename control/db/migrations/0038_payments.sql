-- Credits bought through a payment gateway, and what went back of them.

create table payments (
  workspace_id text collate "C" not null references workspaces (id),
  -- Written before the gateway is asked, which gets it as the name of its order.
  id text collate "C" not null unique,
  -- failed, expired: a payment may still arrive, and is credited then.
  status text not null check (status in ('created', 'paid', 'failed', 'expired')),
  gateway text not null check (gateway in ('razorpay', 'stripe')),
  -- Null until the gateway has answered, and for a second payment of one order.
  order_id text collate "C",
  -- Unique, so that however often it is reported it is credited once.
  gateway_payment_id text collate "C",
  amount_paise bigint not null check (amount_paise > 0),
  -- Of the pack.
  bonus_paise bigint not null default 0 check (bonus_paise >= 0),
  coupon_bonus_paise bigint not null default 0 check (coupon_bonus_paise >= 0),
  tax_paise bigint not null default 0 check (tax_paise >= 0),
  -- What is paid; what the gateway reports must be the same.
  total_paise bigint not null check (total_paise = amount_paise + tax_paise),
  currency text not null check (currency in ('INR', 'USD')),
  -- Of the invoice, as they were when the tax was agreed.
  terms jsonb not null,
  pack_id text collate "C",
  method text not null default '',
  invoice_id text collate "C",
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  paid_at timestamptz,
  failure_reason text not null default '',
  -- The gateway is asked about it then; null: never again. A process that dies leaves it to the next one.
  next_look_at timestamptz,
  primary key (workspace_id, id),
  check ((status = 'paid') = (paid_at is not null))
);
create unique index payments_of_order on payments (gateway, order_id);
create unique index payments_of_gateway_payment on payments (gateway, gateway_payment_id);
create index payments_due on payments (next_look_at) where next_look_at is not null;
create index payments_open on payments (workspace_id) where status = 'created';
create index payments_by_time on payments (gateway, paid_at) where paid_at is not null;

-- Money that went back to who paid: refunds, and disputes of the payer's bank.
create table payment_reversals (
  gateway text not null,
  gateway_id text collate "C" not null,
  workspace_id text collate "C" not null,
  payment_id text collate "C" not null,
  kind text not null check (kind in ('refund', 'dispute')),
  -- taken: the money has left, not for good yet. returned: it came back, as after a won dispute.
  status text not null check (status in ('taken', 'final', 'returned')),
  amount_paise bigint not null check (amount_paise > 0),
  -- Credits taken back for it, and bonus credits.
  credits_paise bigint not null,
  bonus_paise bigint not null,
  credit_note_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (gateway, gateway_id),
  foreign key (workspace_id, payment_id) references payments (workspace_id, id)
);
create index payment_reversals_of_payment on payment_reversals (workspace_id, payment_id);
create index payment_reversals_by_time on payment_reversals (gateway, created_at);
