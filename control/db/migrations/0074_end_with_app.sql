-- API keys and webhook endpoints that a connected app made, itself or with a key that it had made, end with its connection, whatever
-- ends that: the user, the app, the operator, the end of a membership or an account, or a token that was used twice.
alter table api_keys add column grant_id text collate "C";
alter table webhook_endpoints add column grant_id text collate "C";

create function end_what_an_app_made() returns trigger language plpgsql as $$
begin
  update api_keys set revoked_at = new.revoked_at
  where workspace_id = new.workspace_id and grant_id = new.id and revoked_at is null;
  update webhook_endpoints set active = false
  where workspace_id = new.workspace_id and grant_id = new.id and active;
  return null;
end $$;

create trigger end_what_an_app_made after update of revoked_at on oauth_grants
for each row when (old.revoked_at is null and new.revoked_at is not null)
execute function end_what_an_app_made();
