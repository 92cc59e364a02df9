import type { AnySql } from '../db/connect.ts';
import { failWaiting } from './delivery-store.ts';

/**
 * Sets the webhook URL of a campaign, in the transaction that creates or changes it; an empty URL removes it and fails its
 * waiting deliveries. The URL was checked before.
 */
export async function setCampaignUrl(tx: AnySql, workspaceId: string, batchId: string, url: string): Promise<void> {
  if (url === '') {
    await tx`delete from campaign_webhooks where workspace_id = ${workspaceId} and batch_id = ${batchId}`;
    await failWaiting(tx, workspaceId, `campaign:${batchId}`, 'endpoint deleted');
    return;
  }
  await tx`
    insert into campaign_webhooks (workspace_id, batch_id, url) values (${workspaceId}, ${batchId}, ${url})
    on conflict (workspace_id, batch_id) do update set url = excluded.url`;
}

/** Fails the waiting deliveries of an agent in the transaction that deletes the agent or clears its URL. */
export async function failDeliveriesToAgentUrl(tx: AnySql, workspaceId: string, agentId: string): Promise<void> {
  await failWaiting(tx, workspaceId, `agent:${agentId}`, 'endpoint deleted');
}
