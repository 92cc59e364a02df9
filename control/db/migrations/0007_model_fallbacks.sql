-- The models that answer for a workspace's agents when their own fails, in order, as `provider/model`; the operator's choice.
alter table workspaces add column llm_fallbacks text[] not null default '{}';
