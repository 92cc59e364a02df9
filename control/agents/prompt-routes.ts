import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { variablesOf } from '../../shared/variables.ts';
import { chargePrompt } from '../billing/charge-prompt.ts';
import { hasCredits } from '../billing/wallet.ts';
import type { Sql } from '../db/connect.ts';
import { createConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { modelUnavailable, notFound, outOfCredits } from '../http/errors.ts';
import { route } from '../http/route.ts';
import type { AgentRow } from './agent-record.ts';
import type { PromptGenerator } from './prompt-generator.ts';
import { findAgent } from './store.ts';

/** Per workspace, in this process. */
const MAX_CONCURRENT_GENERATIONS = 3;

const briefBody = z.object({
  brief: z.string().min(10).max(4_000).describe('what the agent is for, in your words'),
  language: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,2}$/)
    .default('hi')
    .describe('language the agent speaks'),
  agent_id: z.string().max(64).optional().describe('the agent whose prompt is to be improved'),
  tone: z.string().max(100).default('').describe('how it should sound'),
});

const generatedPromptRecord = z
  .object({
    welcome_message: z.string().describe('what the agent says first'),
    system_prompt: z.string().describe('its instructions'),
    variables: z.array(z.string()).describe('every `{variable}` used by them, in order'),
    cost_paise: z.int().describe('what it cost, taken from the credits'),
    currency: z.enum(['INR', 'USD']).describe('the billing currency of the workspace'),
  })
  .meta({ id: 'GeneratedPrompt' });

export interface PromptDeps {
  sql: Sql;
  clock: Clock;
  promptGenerator: PromptGenerator | null;
}

export function promptRoutes(app: FastifyInstance, { sql, clock, promptGenerator }: PromptDeps): void {
  const enter = createConcurrencyLimiter(MAX_CONCURRENT_GENERATIONS, 'prompts are written');

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/prompt/generate',
    tag: 'Agents',
    summary: 'Generate a welcome message and a prompt from a brief; nothing is saved',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: briefBody, response: generatedPromptRecord },
    success: 200,
    errors: [402, 404, 409, 502],
    handler: async ({ body }, { workspace_id, actor, log }) => {
      const current = body.agent_id === undefined ? null : await existing(workspace_id, body.agent_id);
      if (!(await hasCredits(sql, workspace_id))) throw outOfCredits();
      const leave = enter(workspace_id);
      try {
        const { brief, language, tone } = body;
        const generated = promptGenerator
          ? await promptGenerator.generate({ brief, language, tone, current })
          : { failed: 'not set up' };
        if (!promptGenerator || 'failed' in generated) {
          log.warn({ reason: 'failed' in generated ? generated.failed : '' }, 'prompt generation failed');
          throw modelUnavailable();
        }
        const { welcome_message, system_prompt, input_tokens, output_tokens } = generated;
        const { provider, model } = promptGenerator;
        const use = { workspace_id, provider, model, input_tokens, output_tokens, by_name: actor.name };
        const { cost_paise, currency } = await sql.begin((tx) => chargePrompt(tx, { ...use, at_ms: clock.wall() }));
        const variables = variablesOf(welcome_message, system_prompt);
        return { welcome_message, system_prompt, variables, cost_paise, currency };
      } finally {
        leave();
      }
    },
  });

  async function existing(
    workspaceId: string,
    agentId: string,
  ): Promise<Pick<AgentRow, 'welcome_message' | 'system_prompt'>> {
    const row = ID_PATTERN.test(agentId) ? await findAgent(sql, workspaceId, agentId) : null;
    if (!row) throw notFound('agent');
    const { welcome_message, system_prompt } = row;
    return { welcome_message, system_prompt };
  }
}
