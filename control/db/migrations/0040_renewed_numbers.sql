-- Numbers are renewed every 30 days, and what the carriers list is compared with what is known here.

insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at)
select workspace_id, 'number', number, cycle_end, cycle_end
from (
  select workspace_id, number, greatest(coalesce(paid_until, created_at + interval '30 days'), now()) as cycle_end
  from numbers where order_id is not null and status <> 'released'
) bought;

alter table numbers
  -- At the carrier when it was bought: `{monthly, setup, currency}`; null: not known.
  add column price jsonb,
  -- Which numbers the plan includes follows from the plan: the oldest ones.
  drop column included,
  -- Of the renewal.
  drop column paid_until,
  drop column past_due_since;

alter table number_orders
  add column price jsonb,
  drop column included;

-- A carrier's numbers are compared with those of its orders.
create index numbers_by_provider on numbers (provider, number) where status <> 'released';
create index number_orders_by_number on number_orders (number, created_at);

-- When the numbers of a carrier's account are compared next; a process that dies leaves it to the next one.
create table number_audits (
  provider text primary key,
  next_at timestamptz not null,
  finished_at timestamptz,
  -- Why the last attempt failed; empty: it did not.
  error text not null default ''
);

-- What the last comparison found.
create table number_findings (
  number text collate "C" primary key,
  provider text not null,
  -- unknown: the account pays for it, and nobody here has it. not_released: given up here, and still at the carrier. gone: a
  -- workspace has it, and the account does not.
  kind text not null check (kind in ('unknown', 'not_released', 'gone')),
  -- Who has it, or had it last; null: nobody.
  workspace_id text collate "C",
  found_at timestamptz not null
);
