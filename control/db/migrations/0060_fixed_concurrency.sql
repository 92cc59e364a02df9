-- The number of live calls that the service's team has set holds whatever the plan grants, also below it.
alter table workspaces add column concurrency_fixed boolean not null default false
  check (not concurrency_fixed or own_concurrency_limit is not null);
