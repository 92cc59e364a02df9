-- Passages are compared by the signs of their vectors in SQL, and no longer in the memory of each process.

-- 2,048 signs of the vector, by which similar passages are found (`control/knowledge/vectors.ts`); null without a vector.
alter table knowledge_passages add column signs bit(2048);

drop index knowledge_passages_embedded;
-- Everything that a search reads of a passage before it knows which are best.
create index knowledge_passages_signs on knowledge_passages (workspace_id, knowledge_base_id, embedding_model)
  include (source_id, number, signs) where signs is not null;
-- Passages of before this migration, until the program has written their signs.
create index knowledge_passages_unsigned on knowledge_passages (workspace_id, source_id, number)
  where embedding is not null and signs is null;

-- It invalidated the caches in memory.
alter table knowledge_bases drop column revision;
