-- What became of a dial: a call is `ringing` from before its dial request, and the answer may be lost or say "later".
-- `requested`: the request is under way. `unknown`: its answer did not come. `slowed`: the carrier asked to send it later.
-- Empty: decided, or no dial of the service's.
alter table calls
  add column dial_state text not null default '' check (dial_state in ('', 'requested', 'unknown', 'slowed')),
  -- When the carrier is asked what became of the dial, or when the dial is sent again.
  add column dial_due_at timestamptz,
  -- How often the carrier said "later", or did not know the call.
  add column dial_tries smallint not null default 0;
create index calls_dial_due on calls (dial_due_at) where dial_due_at is not null;

-- Calls per second of the account at a carrier, one row each, shared by all processes. A carrier without a row has no limit.
create table carrier_rates (
  provider text collate "C" primary key,
  -- When the next call may be placed.
  next_at timestamptz not null,
  -- Time between two calls as learnt from the carrier's refusals; 0 where nothing was learnt.
  learnt_interval_ms double precision not null default 0,
  learnt_at timestamptz not null
);
