-- Calls that finished lately, for the alert that calls fail.
create index calls_finished on calls (workspace_id, ended_at) include (status)
  where ended_at is not null and ringing_at is not null;

-- The alerts that an unpaid fee sends are once per unpaid cycle, by its renewal.
alter table alerts drop constraint alerts_alert_check,
  add check (alert in ('credits_low', 'credits_used_up', 'calls_failing'));
