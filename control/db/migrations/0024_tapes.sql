-- Whether calls of an agent are taped, which only the service's team decides: a tape holds what was said.
alter table agents add column tape boolean not null default false;
