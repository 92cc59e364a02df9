/** First parts of the addresses of the console's pages, beside `/`. */
export const CONSOLE_PATHS = ['account', 'agents', 'billing', 'calls', 'shared-agents', 'sign-up'] as const;
