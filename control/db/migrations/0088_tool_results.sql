-- What becomes of a saved tool's JSON response: what the model gets, which variables take a value, and what is said.
alter table tools add column results jsonb not null default '{"path": "", "variables": {}, "message": ""}';
