import type { AgentConfig } from '../../shared/agent.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { Pronunciation } from '../../shared/pronunciation.ts';
import type { Knowledge } from '../../shared/reply/knowledge.ts';
import type { ToolRunner } from '../../shared/reply/tools.ts';

/** What one agent brings into a call: it is replaced as a whole when another agent goes on. What is the call's own stays. */
export interface AgentParts {
  agent: AgentConfig;
  model: LanguageModel;
  tools: ToolRunner;
  knowledge: Knowledge;
  pronunciation: Pronunciation | null;
  /** The next phrase that is said while model or tools take long, in this language. */
  nextFiller(language: string): string;
  /** 0: none is said. */
  fillerAfterMs: number;
  temperature: number;
  maxTokens: number;
}
