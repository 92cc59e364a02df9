-- A nightly comparison of all that money is written in.

-- One row: when it is compared next; a process that dies leaves it to the next one.
create table money_audits (
  single boolean primary key default true check (single),
  next_at timestamptz not null,
  finished_at timestamptz,
  -- Gateways whose list could not be read in the last one.
  not_compared text[] not null default '{}'
);
insert into money_audits (next_at) values (now());

-- What the last comparison found.
create table money_findings (
  id bigint generated always as identity primary key,
  subject text not null check (subject in ('wallet', 'invoice', 'fee', 'payment', 'renewal', 'gateway')),
  -- Null: no single workspace.
  workspace_id text collate "C",
  difference text not null,
  found_at timestamptz not null
);
