-- A call whose processing has waited too long is completed without it; the job stays, and its results are added to the record.
alter table after_calls add column late boolean not null default false;
create index after_calls_due on after_calls (due_at) where not late;
