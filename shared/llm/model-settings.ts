import { z } from 'zod';

/** The language models' settings, of the environment of whichever program asks them. */
export const LANGUAGE_MODEL_SETTINGS = {
  OPENAI_API_KEY: z.string().default(''),
  OPENAI_BASE_URL: z.string().default('https://api.openai.com/v1'),
  ANTHROPIC_API_KEY: z.string().default(''),
  ANTHROPIC_URL: z.string().default('https://api.anthropic.com'),
  GOOGLE_API_KEY: z.string().default(''),
  GOOGLE_URL: z.string().default('https://generativelanguage.googleapis.com'),
  AZURE_OPENAI_API_KEY: z.string().default(''),
  /** The resource's address, like `https://my-resource.openai.azure.com`; models are named by their deployment. */
  AZURE_OPENAI_URL: z.string().default(''),
  /** A date, or `v1` for the address without dates, which models that reason need. */
  AZURE_OPENAI_API_VERSION: z.string().default('2024-10-21'),
  GROQ_API_KEY: z.string().default(''),
  GROQ_URL: z.string().default('https://api.groq.com/openai/v1'),
  MISTRAL_API_KEY: z.string().default(''),
  MISTRAL_URL: z.string().default('https://api.mistral.ai/v1'),
  /** The `custom` language model: any OpenAI-compatible address. */
  LLM_BASE_URL: z.string().default(''),
  LLM_API_KEY: z.string().default(''),
  /** What an agent's model `default` stands for. */
  LLM_MODEL: z.string().default(''),
};

export type LanguageModelSettings = { [Name in keyof typeof LANGUAGE_MODEL_SETTINGS]: string };
