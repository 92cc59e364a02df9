-- Fees that are taken every 30 days: of plans, call lines, phone numbers and caller ids.

create table renewals (
  workspace_id text collate "C" not null references workspaces (id),
  kind text not null check (kind in ('plan', 'lines', 'number', 'caller_id')),
  -- What is renewed, by the id of its kind.
  subject_id text collate "C" not null,
  -- Until then it is paid; the cycle that begins then is charged next.
  cycle_end timestamptz not null,
  -- Nobody else works on it before; a process that dies leaves it to the next one.
  next_attempt_at timestamptz not null,
  -- Since the fee could not be taken.
  past_due_since timestamptz,
  primary key (workspace_id, kind, subject_id)
);
create index renewals_due on renewals (next_attempt_at);

alter table workspaces
  -- Agreed with the workspace, in its currency, whatever its plan; null: the plan's.
  add column own_price_per_minute_paise bigint check (own_price_per_minute_paise >= 0),
  -- Null: as on the phone, where the workspace has a price of its own.
  add column own_browser_price_per_minute_paise bigint check (own_browser_price_per_minute_paise >= 0),
  add column plan_changed_at timestamptz;

-- Workspaces that are on a paid plan already: a first cycle without a charge begins now.
with paid as (
  select w.id, p.id as plan_id, p.included_minutes * 60 as seconds, now() + interval '30 days' as cycle_end
  from workspaces w join plans p on p.id = w.plan_id
  where w.state <> 'closed'
    and (p.included_minutes > 0 or exists (
      select from jsonb_each(p.prices) price where (price.value ->> 'monthly_fee_paise')::bigint > 0
    ))
), started as (
  insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at)
  select id, 'plan', plan_id, cycle_end, cycle_end from paid
)
update wallets set plan_seconds_left = seconds, plan_seconds_total = seconds, plan_cycle_end = cycle_end
from paid where workspace_id = paid.id;

-- Lines that were granted are paid from the next cycle on, like bought ones.
insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at)
select id, 'lines', 'all', now() + interval '30 days', now() + interval '30 days'
from workspaces where extra_lines > 0 and state <> 'closed';

-- Nobody has renewed caller ids so far: what is overdue is not charged.
insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at)
select workspace_id, 'caller_id', id, cycle_end, cycle_end
from (
  select workspace_id, id, greatest(coalesce(paid_until, now() + interval '30 days'), now()) as cycle_end
  from caller_id_requests where status = 'active'
) active;
