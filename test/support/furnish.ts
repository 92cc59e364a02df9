import type { Sql } from '../../control/db/connect.ts';
import type { UserClient } from './control-app.ts';

/** Creates one of every resource of the API. */
export async function furnish(sql: Sql, client: UserClient, number: string): Promise<void> {
  await sql`insert into numbers ${sql({
    ...{ number, workspace_id: client.workspace_id, agent_id: null, provider: 'twilio', created_at: new Date() },
  })}`;
  const made = async (path: string, body: object) => {
    const answer = await client.send('POST', path, body);
    return answer.status < 300 ? answer.body : {};
  };
  const agent = await made('/agents', { name: `Agent of ${number}` });
  await client.send('PUT', `/agents/${agent.id}`, { name: 'Renamed', system_prompt: 'Be kind.' });
  await made(`/agents/${agent.id}/call`, { to_number: '+919811112222' });
  await made(`/agents/${agent.id}/tests`, { name: 'T', persona: 'Ravi', criteria: ['is kind'] });
  const base = await made('/knowledge-bases', { name: 'Base' });
  await made(`/knowledge-bases/${base.id}/sources/text`, { name: 'T', text: 'One. Two.' });
  await made('/keys', { name: 'Another' });
  await made('/invites', { email: `someone${number.slice(1)}@example.com`, role: 'viewer' });
  await made('/agent-shares', { agent_id: agent.id });
  await made('/webhooks', { url: 'https://example.com/hook' });
  await made('/tools', { name: 'look_up', description: 'Looks it up', url: 'https://example.com/x', method: 'GET' });
  await made('/workspace/limits/requests', { requested_limit: 20, reason: 'We call a lot of people.' });
  await made('/workspace/exports', {});
}
