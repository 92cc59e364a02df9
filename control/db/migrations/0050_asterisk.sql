-- What several control processes have to know of an Asterisk, so that any of them goes on with its calls.

-- Which process holds a connection that only one may hold; free again when its time is over.
create table connection_leases (
  name text collate "C" primary key,
  holder text not null,
  held_until timestamptz not null
);

-- Callers' channels in the application.
create table asterisk_calls (
  channel_id text collate "C" primary key,
  -- The present channel of the agent's audio, or empty; the end of any other one is ignored.
  media_channel_id text not null default '',
  -- The section of websocket_client.conf that leads to the call's engine.
  media_connection text not null default '',
  stream_token text not null default '',
  -- The agent's channel has joined the bridge.
  connected boolean not null default false,
  -- Consecutive connections of the agent's channel that failed.
  failures integer not null default 0,
  -- The caller is being transferred: the end of the agent's audio no longer ends the call.
  transferred boolean not null default false
);

create table asterisk_handovers (
  transfer_id text collate "C" primary key,
  -- The caller's channel once they were taken from the agent: at the start of a cold transfer, at the end of a warm one.
  caller text collate "C" not null default '',
  cold boolean not null,
  answered boolean not null default false
);
create index asterisk_handovers_of_caller on asterisk_handovers (caller) where caller <> '';
