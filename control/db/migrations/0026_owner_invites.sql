-- The first person of a workspace that the service's team created: whoever accepts is its owner. `role` stays what the API
-- may show of an invite, which is never an owner's: members cannot invite one.
alter table invites add column as_owner boolean not null default false;
