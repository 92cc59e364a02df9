-- The texts of earlier calls (0064) are written by the same job. Until that is done, `q` finds only the newest of them.
insert into call_search_changes (workspace_id, call_id)
select workspace_id, id from finished_calls where started_at is not null order by id;
