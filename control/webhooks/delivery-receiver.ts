import type { AnySql } from '../db/connect.ts';
import type { OutgoingDelivery } from './claim-deliveries.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export type Receiver = { url: string; secret: string | null } | 'endpoint deleted' | 'endpoint inactive';

/** Where a delivery goes now and what signs it: as the settings are when it is sent, not when its event happened. */
export async function receiverOf(sql: AnySql, secrets: WebhookSecrets, outgoing: OutgoingDelivery): Promise<Receiver> {
  const { workspace_id, endpoint_id, endpoint_url, endpoint_secret } = outgoing;
  if (endpoint_id === 'agent' || endpoint_id === 'campaign') {
    const url = outgoing.configured_url;
    if (!url) return 'endpoint deleted';
    const sealed = outgoing.default_secret ?? (await secrets.ensureDefault(sql, workspace_id)).secret;
    return { url, secret: secrets.openDefault(workspace_id, sealed) };
  }
  if (endpoint_url === null || endpoint_secret === null) return 'endpoint deleted';
  if (!outgoing.endpoint_active) return 'endpoint inactive';
  return { url: endpoint_url, secret: secrets.openEndpoint(workspace_id, endpoint_id, endpoint_secret) };
}
