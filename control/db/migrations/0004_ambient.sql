-- Background sounds that workspaces uploaded.

create table ambient_sounds (
  workspace_id text collate "C" not null references workspaces (id),
  id text collate "C" not null,
  name text not null,
  duration_seconds double precision not null,
  size_bytes integer not null,
  -- Mono PCM16 WAV at 16 kHz.
  wav bytea not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

-- Audio does not compress, and engines read it in chunks.
alter table ambient_sounds alter column wav set storage external;
