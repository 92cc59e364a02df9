-- Workspaces, their keys, agents and numbers. Column names are the names of the API.
-- Ids are UUIDs of version 7 in 32 hex characters; in collation "C" they sort by creation.
-- Every table carries workspace_id and every reference is (workspace_id, id), so that a wrong id cannot cross tenants.

create table workspaces (
  id text collate "C" primary key,
  name text not null,
  state text not null check (state in ('onboarding', 'active', 'suspended', 'closed')),
  timezone text not null default 'Asia/Kolkata',
  currency text not null default 'INR' check (currency in ('INR', 'USD')),
  -- Maximum number of live calls.
  concurrency_limit integer not null default 5 check (concurrency_limit between 1 and 100),
  created_at timestamptz not null
);

create table api_keys (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  name text not null,
  -- First 12 characters, for display.
  prefix text not null,
  -- SHA-256 of the whole key: 256 random bits need no slow hash.
  hash bytea not null unique,
  created_by text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id)
);

create table agents (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  name text not null,
  welcome_message text not null,
  system_prompt text not null,
  llm jsonb not null,
  voice jsonb not null,
  transcriber jsonb not null,
  call jsonb not null,
  analytics jsonb not null,
  tools jsonb not null,
  knowledge_base_ids text[] not null,
  knowledge_mode text not null,
  webhook_url text not null,
  status text not null check (status in ('active', 'paused', 'frozen')),
  -- An integer, a string or null.
  avatar jsonb,
  version integer not null,
  updated_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  frozen_at timestamptz,
  frozen_reason text not null default '',
  frozen_incident_id text not null default '',
  frozen_from text not null default '',
  primary key (workspace_id, id)
);

create table agent_versions (
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  version integer not null,
  config jsonb not null,
  restored_from integer,
  -- Dotted field names that differ from the version before.
  changes text[] not null,
  saved_at timestamptz not null,
  saved_by text not null,
  primary key (workspace_id, agent_id, version),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
);

create table numbers (
  number text collate "C" primary key check (number ~ '^\+[1-9][0-9]{6,14}$'),
  workspace_id text collate "C" not null references workspaces (id),
  -- The agent that answers inbound calls.
  agent_id text collate "C",
  provider text not null check (provider in ('twilio', 'plivo')),
  status text not null default 'active' check (status in ('active', 'past_due', 'released')),
  connected_at timestamptz,
  created_at timestamptz not null,
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete set null (agent_id)
);

create index numbers_of_agent on numbers (workspace_id, agent_id);
