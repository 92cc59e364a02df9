-- A delivery is written once and changed twice. With room on its page its lease, which is in no index, is written without a new entry
-- in each of them (PostgreSQL, "Heap-Only Tuples"). Pages that are there already stay as they are.
alter table webhook_deliveries set (fillfactor = 50);
