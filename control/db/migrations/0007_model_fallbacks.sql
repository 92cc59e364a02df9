-- Fallbacks of the agents' language models, in order, as `provider/model`; set by the operator.
alter table workspaces add column llm_fallbacks text[] not null default '{}';
