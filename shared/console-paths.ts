/** First parts of the addresses of the console's pages, beside `/`. */
export const CONSOLE_PATHS = [
  'account',
  'agents',
  'batches',
  'billing',
  'calls',
  'knowledge',
  'logs',
  'numbers',
  'shared-agents',
  'sign-up',
  'tools',
  'webhooks',
  'workspace',
] as const;
