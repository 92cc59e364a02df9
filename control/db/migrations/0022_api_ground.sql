-- Whose matter a letter is: what became of it is told in that workspace's log. Null: a person's own, such as a new password.
alter table mail_outbox add column workspace_id text collate "C" references workspaces (id);
