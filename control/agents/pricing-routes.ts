import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AgentConfig } from '../../shared/agent.ts';
import { type Channel, estimatePrice, type PriceEstimate } from '../billing/price-estimate.ts';
import { pricingOf } from '../billing/workspace-pricing.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { knowledgeForCall } from '../knowledge/knowledge-lookups.ts';
import { configOf } from './agent-for-call.ts';
import type { AgentSchemas } from './default-providers.ts';
import { requireKnowledgeBases } from './references.ts';
import { carrierOf, findAgent } from './store.ts';

const TAG = 'Agents';
const params = z.object({ agent_id: pathId('agent') });
const query = z.object({
  channel: z.enum(['phone', 'web']).default('phone').describe('web leaves telephony out'),
});

const estimateRecord = z
  .object({
    components: z
      .array(
        z.object({
          key: z.enum(['transcriber', 'llm', 'voice', 'telephony', 'platform']).describe('what is paid for'),
          label: z.string().describe('for display'),
          provider: z.string().describe('who is paid'),
          model: z.string().describe('which of its models; may be empty'),
          paise_per_minute: z.number().describe('with up to four decimals'),
        }),
      )
      .describe('the parts of the price'),
    usage_paise_per_minute: z.int().describe('the components together, rounded up once'),
    floor_paise_per_minute: z.int().describe("the plan's price of a minute"),
    total_paise_per_minute: z.int().describe('the greater of the two'),
    floor_applied: z.boolean().describe("the plan's price is the greater one"),
    assumptions: z
      .object({
        caller_audio_seconds_per_minute: z.int().describe('seconds of audio that are transcribed'),
        tts_characters_per_minute: z.int().describe('characters the voice speaks'),
        llm_turns_per_minute: z.int().describe('replies of the language model'),
        llm_input_tokens_per_minute: z
          .int()
          .describe("every turn reads the prompt, the service's instructions and the conversation so far"),
        llm_output_tokens_per_minute: z.int().describe('tokens of all replies'),
        prompt_tokens: z.int().describe('characters of the prompt and of the knowledge in it / 4'),
      })
      .describe('what the estimate takes for a usual minute'),
    plan_minutes_multiplier: z.number().describe('included minutes that one minute uses up; at least 1'),
    channel: z.enum(['phone', 'web']).describe('what the estimate is for'),
    currency: z.enum(['INR', 'USD']).describe('of all amounts'),
  })
  .meta({ id: 'PriceEstimate' });

/** What a minute of an agent's calls will cost, for a saved agent or a draft. */
export function pricingRoutes(app: FastifyInstance, { sql, draft }: { sql: Sql; draft: AgentSchemas['draft'] }): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/pricing',
    tag: TAG,
    summary: 'What a minute with the agent will cost',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, query, response: estimateRecord },
    success: 200,
    errors: [404],
    handler: async ({ params, query }, { workspace_id }) =>
      sql.begin('isolation level repeatable read read only', async (tx) => {
        const row = await findAgent(tx, workspace_id, params.agent_id);
        if (!row) throw notFound('agent');
        const carrier = await carrierOf(tx, workspace_id, params.agent_id);
        return estimate(tx, workspace_id, configOf(row), query.channel, carrier);
      }),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/pricing',
    tag: TAG,
    summary: 'What a minute would cost with this configuration; nothing is saved',
    credential: 'key',
    permission: 'agents.view',
    schema: { query, body: draft, response: estimateRecord },
    success: 200,
    handler: async ({ query, body }, { workspace_id }) =>
      sql.begin(async (tx) => {
        await requireKnowledgeBases(tx, workspace_id, body);
        return estimate(tx, workspace_id, body, query.channel, '');
      }),
  });
}

async function estimate(
  tx: Transaction,
  workspaceId: string,
  agent: AgentConfig,
  channel: Channel,
  carrier: string,
): Promise<PriceEstimate> {
  const pricing = await pricingOf(tx, workspaceId);
  const knowledge = await knowledgeForCall(tx, workspaceId, agent);
  const knowledge_characters = knowledge?.text.length ?? 0;
  return estimatePrice({ agent, knowledge_characters, channel, carrier, pricing });
}
