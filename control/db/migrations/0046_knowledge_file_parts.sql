-- Uploaded files are stored in parts: as one value, a file of 20 MB took 150 MB of control's memory on its way.

create table knowledge_file_parts (
  workspace_id text collate "C" not null,
  source_id text collate "C" not null,
  -- Position in the file, from 1.
  number integer not null,
  content bytea not null,
  primary key (workspace_id, source_id, number),
  foreign key (workspace_id, source_id) references knowledge_files (workspace_id, source_id) on delete cascade
);
-- Most documents are compressed already.
alter table knowledge_file_parts alter column content set storage external;

insert into knowledge_file_parts (workspace_id, source_id, number, content)
select workspace_id, source_id, 1, content from knowledge_files;
alter table knowledge_files drop column content;
