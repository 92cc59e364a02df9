-- Makes the invited an owner: for the first member of a workspace that the service's team created. `role` is what the API
-- shows, which is never owner, because members cannot invite owners.
alter table invites add column as_owner boolean not null default false;
