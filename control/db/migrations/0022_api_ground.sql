-- The workspace an email is about, whose log shows when it fails. Null for a user's own, such as a password reset.
alter table mail_outbox add column workspace_id text collate "C" references workspaces (id);
