-- Invoices and credit notes, and the alerts to the owner.

-- Who issues the invoices, as the operator set it; without a row nobody who is registered for GST.
create table invoice_seller (
  single boolean primary key default true check (single),
  name text not null,
  -- Lines.
  address text not null,
  -- Its first two digits are the seller's state; empty: no GST is charged.
  gstin text not null,
  -- Of the service, printed on every invoice.
  sac text not null,
  -- Reference number of the letter of undertaking for exports without tax; empty: none.
  lut text not null,
  updated_at timestamptz not null
);

create table invoices (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  -- Idempotency key, as of a ledger row.
  key text collate "C" not null,
  document text not null check (document in ('invoice', 'credit_note')),
  -- `2026-27`: April to March in India.
  financial_year text collate "C" not null,
  -- Without gaps per document and financial year; `number` is made of it.
  sequence integer not null check (sequence > 0),
  number text collate "C" not null unique,
  kind text not null check (kind in ('topup', 'plan', 'lines', 'number', 'caller_id')),
  description text not null,
  amount_paise bigint not null check (amount_paise >= 0),
  tax_paise bigint not null check (tax_paise >= 0),
  total_paise bigint not null check (total_paise > 0),
  -- `[{name, rate_percent, amount_paise}]`
  tax_lines jsonb not null,
  currency text not null check (currency in ('INR', 'USD')),
  paid_from text not null check (paid_from in ('gateway', 'credits')),
  payment_id text collate "C",
  -- Seller, buyer, place of supply and tax treatment as they were.
  terms jsonb not null,
  -- Of a credit note.
  invoice_id text collate "C",
  issued_at timestamptz not null,
  check (amount_paise + tax_paise = total_paise),
  check ((document = 'credit_note') = (invoice_id is not null)),
  primary key (workspace_id, id),
  unique (workspace_id, key),
  unique (document, financial_year, sequence),
  foreign key (workspace_id, invoice_id) references invoices (workspace_id, id)
);
-- A workspace's list, newest first.
create index invoices_of_workspace on invoices (workspace_id, id) where document = 'invoice';
create index credit_notes_of_invoice on invoices (workspace_id, invoice_id) where document = 'credit_note';

-- `{kind, id}` of what is attached when it is sent.
alter table mail_outbox add column attachment jsonb;

-- The last e-mail of each alert, and whether its condition held when it was last looked at.
create table alerts (
  workspace_id text collate "C" not null references workspaces (id),
  alert text not null check (alert in ('credits_low', 'credits_used_up', 'calls_failing', 'number_unpaid', 'plan_unpaid')),
  sent_at timestamptz,
  raised boolean not null,
  primary key (workspace_id, alert)
);

-- Workspaces to be looked at: a charge or the end of a call writes the row.
create table alert_checks (
  workspace_id text collate "C" not null references workspaces (id),
  subject text not null check (subject in ('credits', 'calls')),
  due_at timestamptz not null,
  primary key (workspace_id, subject)
);
create index alert_checks_due on alert_checks (due_at);

-- The thresholds that the operator set for the workspace; missing ones are the service's.
alter table workspaces add column alert_thresholds jsonb not null default '{}';
