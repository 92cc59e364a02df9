-- Callers handed over to a person: what lets a transfer survive a restart, and the seconds of its two legs.

create table transfers (
  workspace_id text collate "C" not null,
  call_id text collate "C" not null,
  -- Made by the engine that asked.
  id text collate "C" primary key,
  provider text not null,
  -- The person is told about the caller before the caller comes.
  warm boolean not null,
  name text not null,
  number text not null,
  reason text not null,
  -- What the person is told, and in which language.
  summary text not null,
  language text not null,
  state text not null check (state in ('starting', 'ringing', 'briefing', 'joining', 'talking', 'over')),
  state_at timestamptz not null,
  -- The outcome, null until it is known, and the carrier's own word for it.
  status text check (status in ('answered', 'no-answer', 'busy', 'failed', 'canceled')),
  dial_status text not null default '',
  settled_at timestamptz,
  -- The outcome is on the call's timeline.
  told boolean not null default false,
  -- The person's leg of a warm transfer; empty until the carrier told it.
  person_call_id text not null default '',
  person_request_id text not null default '',
  started_at timestamptz not null,
  -- For billing: the caller's leg counts from where the agent let it go, the person's while both talk.
  caller_left_at timestamptz,
  person_answered_at timestamptz,
  bridged_at timestamptz,
  person_ended_at timestamptz,
  caller_ended_at timestamptz,
  foreign key (workspace_id, call_id) references calls (workspace_id, id) on delete cascade
);

create index transfers_of_call on transfers (call_id, started_at);
-- One at a time.
create unique index transfers_under_way on transfers (call_id) where state in ('starting', 'ringing', 'briefing', 'joining');
-- What somebody has to look after.
create index transfers_unfinished on transfers (state_at) where state <> 'over' or not told;
