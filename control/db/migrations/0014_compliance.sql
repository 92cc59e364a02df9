-- Business details (KYC), caller-id requests, guardrails, and what the service's team sets.

-- One row per workspace, inserted by the first save.
create table kyc (
  workspace_id text collate "C" primary key references workspaces (id),
  status text not null default 'not_submitted' check (status in ('not_submitted', 'submitted', 'approved', 'rejected')),
  legal_name text not null default '',
  -- Empty until it is chosen.
  business_type text not null default '',
  pan text not null default '',
  gstin text not null default '',
  cin text not null default '',
  tax_id text not null default '',
  website text not null default '',
  address jsonb not null default '{}',
  contact_name text not null default '',
  contact_email text not null default '',
  contact_phone text not null default '',
  use_case text not null default '',
  sample_script text not null default '',
  submitted_at timestamptz,
  decided_at timestamptz,
  rejection_reason text not null default ''
);
-- Submitted details, oldest first.
create index kyc_waiting on kyc (submitted_at) where status = 'submitted';

create table kyc_documents (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  kind text not null check (kind in ('registration', 'tax', 'identity', 'address', 'authorization', 'other')),
  -- As it was uploaded; a PDF is stored.
  file_name text not null,
  size_bytes integer not null,
  pdf bytea not null,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  primary key (workspace_id, id)
);
-- PDFs are compressed already.
alter table kyc_documents alter column pdf set storage external;

-- A name and a logo that phones show for numbers of the workspace.
create table caller_id_requests (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  numbers text[] not null,
  display_name text not null,
  call_reason text not null,
  logo bytea not null,
  logo_type text not null check (logo_type in ('image/png', 'image/jpeg')),
  status text not null
    check (status in ('submitted', 'in_review', 'active', 'rejected', 'withdrawn', 'removed')),
  rejection_reason text not null default '',
  -- Per 30 days; 0: nothing is charged.
  fee_paise bigint not null check (fee_paise >= 0),
  currency text not null,
  paid_until timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  decided_at timestamptz,
  primary key (workspace_id, id)
);
alter table caller_id_requests alter column logo set storage external;
create index caller_id_waiting on caller_id_requests (created_at) where status in ('submitted', 'in_review');
create index caller_id_by_id on caller_id_requests (id);

-- Numbers reserved by open requests: a number belongs to one at most.
create table caller_id_numbers (
  workspace_id text collate "C" not null,
  number text collate "C" not null,
  request_id text collate "C" not null,
  primary key (workspace_id, number),
  foreign key (workspace_id, request_id) references caller_id_requests (workspace_id, id) on delete cascade
);
create index caller_id_numbers_of_request on caller_id_numbers (workspace_id, request_id);

-- The same for every workspace: set by the service's team.
create table guardrail_rules (
  id text collate "C" primary key,
  name text not null,
  description text not null,
  category text not null
    check (category in ('abuse', 'fraud', 'privacy', 'regulated_advice', 'impersonation', 'other')),
  severity text not null check (severity in ('violation', 'warning')),
  -- Violations within 30 days that freeze the agent; 0: never.
  strikes integer not null check (strikes between 0 and 100),
  enabled boolean not null default true,
  updated_at timestamptz not null
);

create table guardrail_incidents (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  -- Rule, agent and call may be deleted; the incident keeps their names.
  rule_id text collate "C" not null,
  rule_name text not null,
  category text not null,
  severity text not null check (severity in ('violation', 'warning')),
  agent_id text collate "C" not null,
  agent_name text not null,
  call_id text collate "C" not null,
  quote text not null,
  confidence double precision not null check (confidence between 0 and 1),
  action text not null check (action in ('notice', 'frozen', 'warning')),
  strike integer not null check (strike >= 0),
  status text not null default 'open'
    check (status in ('open', 'acknowledged', 'appealed', 'upheld', 'dismissed')),
  appeal_text text not null default '',
  answer text not null default '',
  created_at timestamptz not null,
  acknowledged_at timestamptz,
  appealed_at timestamptz,
  resolved_at timestamptz,
  acknowledged_by text not null default '',
  appealed_by text not null default '',
  primary key (workspace_id, id),
  unique (workspace_id, call_id, rule_id)
);
-- Ids sort by creation. For the filters of the list, the strikes of an agent, and open appeals.
create index guardrail_incidents_of_agent on guardrail_incidents (workspace_id, agent_id, id);
create index guardrail_incidents_by_status on guardrail_incidents (workspace_id, status, id);
create index guardrail_incidents_recent on guardrail_incidents (workspace_id, created_at);
create index guardrail_appeals on guardrail_incidents (appealed_at) where status = 'appealed';
create index guardrail_incidents_by_id on guardrail_incidents (id);

-- What the team sets besides the limits of a plan: prices, coupons, grants, rates.
alter table plans
  add column icon text not null default '',
  -- Currency → { price_per_minute_paise, browser_price_per_minute_paise or null, monthly_fee_paise }.
  add column prices jsonb not null default '{}',
  add column included_minutes integer not null default 0 check (included_minutes >= 0),
  add column included_numbers integer not null default 0 check (included_numbers >= 0),
  add column includes_caller_verification boolean not null default false,
  -- Agreed individually; no member can switch to it.
  add column custom boolean not null default false,
  -- The order they are shown in.
  add column position integer not null default 100,
  add column updated_at timestamptz not null default now();

update plans set position = 1, prices =
  '{"INR": {"price_per_minute_paise": 550, "browser_price_per_minute_paise": 400, "monthly_fee_paise": 0}}'
where id = 'starter';
update plans set position = 2, included_minutes = 600, included_numbers = 1, prices =
  '{"INR": {"price_per_minute_paise": 475, "browser_price_per_minute_paise": 475, "monthly_fee_paise": 299900}}'
where id = 'growth';
update plans set position = 3, included_minutes = 2500, included_numbers = 2, includes_caller_verification = true, prices =
  '{"INR": {"price_per_minute_paise": 400, "browser_price_per_minute_paise": 400, "monthly_fee_paise": 999900}}'
where id = 'scale';
update plans set position = 4, custom = true, prices =
  '{"INR": {"price_per_minute_paise": 300, "browser_price_per_minute_paise": null, "monthly_fee_paise": 0}}'
where id = 'enterprise';

create table coupons (
  id text collate "C" primary key,
  -- Upper case: codes are not case-sensitive.
  code text collate "C" not null unique check (code ~ '^[A-Z0-9-]{3,40}$'),
  kind text not null check (kind in ('credit', 'topup_bonus')),
  currency text not null check (currency in ('INR', 'USD')),
  -- Of a credit.
  amount_paise bigint check (amount_paise > 0),
  -- Of a bonus.
  percent integer check (percent between 1 and 1000),
  max_paise bigint check (max_paise > 0),
  min_topup_paise bigint not null default 0 check (min_topup_paise >= 0),
  valid_from timestamptz,
  valid_until timestamptz,
  -- Null: unlimited.
  max_redemptions integer check (max_redemptions >= 1),
  once_per_workspace boolean not null default true,
  enabled boolean not null default true,
  created_at timestamptz not null,
  check ((kind = 'credit') = (amount_paise is not null)),
  check ((kind = 'topup_bonus') = (percent is not null))
);

-- Credits given or taken by the team. The ledger will hold a row for each.
create table grants (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  -- `adjustment` may be negative.
  kind text not null check (kind in ('grant', 'adjustment')),
  amount_paise bigint not null check (amount_paise <> 0 and (kind = 'adjustment' or amount_paise > 0)),
  currency text not null,
  note text not null,
  by_name text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

-- Overrides of the rates in the program: of models, carriers, and fees.
create table rates (
  component text not null,
  provider text not null default '',
  model text not null default '',
  currency text not null check (currency in ('INR', 'USD')),
  -- In the component's own unit; with fractions.
  rate_paise double precision not null check (rate_paise >= 0),
  updated_at timestamptz not null,
  primary key (component, provider, model, currency)
);

-- Actions of the team that concern no workspace; the others are in audit_events.
create table service_events (
  id text collate "C" primary key,
  at timestamptz not null,
  action text collate "C" not null,
  actor_name text not null,
  target_kind text not null,
  target_id text not null,
  target_name text not null,
  changes jsonb not null default '{}'
);

-- The state to return to when a suspension ends; empty while it is not suspended.
alter table workspaces add column suspended_from text not null default ''
  check (suspended_from in ('', 'onboarding', 'active'));
