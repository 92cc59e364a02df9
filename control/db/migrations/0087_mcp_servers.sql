-- Servers of the Model Context Protocol whose tools an agent's model can call. Values of headers are sealed, as those of tools.
alter table agents add column mcp_servers jsonb not null default '[]';
