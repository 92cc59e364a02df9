import type { AnySql } from '../db/connect.ts';
import { failWaiting } from './delivery-store.ts';

/**
 * Where a campaign's calls are told, as its settings say; empty for nowhere, and then what still waits fails. In the
 * transaction that makes or changes the campaign. The address was checked before.
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

/** An agent is gone, or its address was cleared: what still waits for it fails. In the transaction of that change. */
export async function failDeliveriesToAgentUrl(tx: AnySql, workspaceId: string, agentId: string): Promise<void> {
  await failWaiting(tx, workspaceId, `agent:${agentId}`, 'endpoint deleted');
}
