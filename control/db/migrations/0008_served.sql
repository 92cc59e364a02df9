-- Which provider and model served how much of a call, as billing needs it; the sum is `usage`.
alter table calls add column served jsonb not null default '[]';
