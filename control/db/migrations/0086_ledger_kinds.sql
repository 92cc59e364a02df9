-- Rows of one kind are listed without reading those of calls, which are nearly all.
-- no transaction
create index concurrently if not exists ledger_of_kind on ledger (workspace_id, kind, seq) where kind <> 'call';
