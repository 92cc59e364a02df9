-- Whether calls of an agent are captured, which only the service's team decides: a capture holds speech.
alter table agents add column tape boolean not null default false;
