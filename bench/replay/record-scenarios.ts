import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../control/operator.ts';
import { SCENARIOS_DIR } from '../../control/operators/capture-scenario.ts';
import { asOperator } from '../../dev/first-workspace.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import type { RequestMessage } from '../../fixtures/simulators/openai-request.ts';
import { HANDOFF_TOOL } from '../../shared/handoff.ts';
import { CONVERSATION, converse, say, waitForText, waitForWelcome } from '../../test/support/conversing-caller.ts';
import { eventually } from '../../test/support/until.ts';
import { type Service, startService } from '../../test/support/whole-service.ts';

/**
 * Records the scenarios of `test/scenarios/captured`: calls of the whole service with simulated carriers and providers, captured as the
 * operator switches it on, and made into scenarios by the operator's command. Run again when the capture format changes.
 */

const WITHIN_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'antiphon-scenarios-'));
const BILLING = 'You know bills.';
const LAST_WORDS = 'I will ask billing.';
const QUESTION = 'Which bill is it?';

function answer(words: string, messages: readonly RequestMessage[]) {
  const instructions = JSON.stringify(messages[0]);
  if (instructions.includes('You hand over.')) {
    const call = { name: HANDOFF_TOOL, arguments: { target: 'Billing', reason: 'a bill' } };
    return { text: LAST_WORDS, toolCalls: [call] };
  }
  if (instructions.includes(BILLING) && messages.at(-1)?.role === 'tool') return { text: QUESTION };
  return CONVERSATION.answer(words);
}

const SCENARIOS: Record<
  string,
  { agent(service: Service): Promise<object>; play(phone: Phone, call: Played): Promise<unknown> }
> = {
  'caller-interrupts': {
    agent: async () => ({}),
    play: (phone, { service, callId }) => converse(service, phone, callId),
  },
  'agent-hands-over': {
    async agent({ api }) {
      const { id } = await api.createAgent({ name: 'Billing', system_prompt: BILLING });
      return { system_prompt: 'You hand over.', call: { handoffs: [{ agent_id: id, name: 'Billing' }] } };
    },
    async play(phone) {
      await waitForWelcome(phone);
      const question = await say(phone, 'short-two-people');
      await waitForText(phone, `${LAST_WORDS} ${QUESTION}`, question.sinceMs);
      phone.hangUp();
    },
  },
};

interface Played {
  service: Service;
  callId: string;
}

const service = await startService({
  transcripts: CONVERSATION.transcripts,
  answer,
  settings: { CAPTURES_DIR: folder },
});
try {
  process.env.CAPTURES_DIR = folder;
  const operator = (...words: string[]) =>
    asOperator(service.stack, (sql) =>
      runCommand({ sql, wallMs: Date.now() }, ['capture', ...words], words[0] === 'scenario' ? { folder: to } : {}),
    );
  const to = fileURLToPath(new URL(`../../${SCENARIOS_DIR}`, import.meta.url));
  for (const [index, [name, { agent, play }]] of Object.entries(SCENARIOS).entries()) {
    const { agentId, number } = await service.agentOn('twilio', await agent(service));
    const [{ workspace_id }] = await asOperator(
      service.stack,
      (sql) => sql<[{ workspace_id: string }]>`select workspace_id from agents where id = ${agentId}`,
    );
    await operator('on', workspace_id, agentId);
    const url = `${service.stack.apiUrl}/carriers/twilio`;
    const from = `+91987651239${index}`;
    const incoming = service.carriers.twilio.placeInbound({
      ...{ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
    });
    const phone = await incoming.waitForPhone(WITHIN_MS);
    const callId = await service.callOf(from);
    await play(phone, { service, callId });
    await service.finished(callId);
    const file = `${callId}.capture.gz`;
    await eventually('the capture', WITHIN_MS, async () => readdirSync(folder).includes(file) || null);
    console.log((await operator('scenario', callId, name)).lines.join('\n'));
  }
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
