-- Renames tables, columns, functions and indexes as the code names them.

alter table calls rename column served to provider_usage;
alter table calls rename column hangup_ordered_reason to hangup_requested_reason;
alter table agents rename column tape to captured;

alter table transfers rename column told to reported;
alter table transfers rename column person_call_id to target_call_id;
alter table transfers rename column person_request_id to target_request_id;
alter table transfers rename column person_answered_at to target_answered_at;
alter table transfers rename column person_ended_at to target_ended_at;

alter table queue_clearings rename to bulk_cancels;
alter index queue_clearings_pkey rename to bulk_cancels_pkey;

alter table idempotency_keys rename column answer to response;

alter table attempts rename column forget_at to expires_at;
alter index attempts_forget rename to attempts_expiry;

alter function call_words(text, jsonb) rename to call_search_text;
alter index calls_words rename to calls_search_text;
alter index server_logs_troubles rename to server_logs_problems;
