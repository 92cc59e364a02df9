-- Apps that a workspace registered itself; null: by the operator. Each may be limited to scopes, as API keys are. The
-- program before knows no scopes of an app, so an app with scopes is one after it has stopped.
alter table oauth_apps add column workspace_id text collate "C" references workspaces (id);
alter table oauth_apps add column scopes text[];
alter table oauth_apps add column created_by text not null default '';
create index oauth_apps_of_workspace on oauth_apps (workspace_id, id desc) where workspace_id is not null;
