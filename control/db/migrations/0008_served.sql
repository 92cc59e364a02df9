-- Usage of a call by provider and model, for billing; the sum is `usage`.
alter table calls add column served jsonb not null default '[]';
