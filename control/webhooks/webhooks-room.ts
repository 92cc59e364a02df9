import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { createSafeFetch, type SafeFetchOptions } from '../../shared/safe-fetch.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { createDeliveryDesk } from './manage-deliveries.ts';
import { createEndpoints } from './manage-endpoints.ts';
import { type CheckAddress, createAddressCheck } from './receiver-address.ts';
import { createSecrets } from './secrets.ts';
import { type FailedAttempt, type Sender, startSender } from './sender.ts';

export interface WebhooksDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  box: SecretBox;
  config: { FETCH_ALLOW: string };
  onFailed?: (failed: FailedAttempt) => void;
  /** For tests: names and certificates that exist nowhere else. */
  fetchOptions?: Pick<SafeFetchOptions, 'resolve' | 'ca'>;
}

export interface WebhooksRoom {
  /** For `webhookRoutes`. */
  endpoints: ReturnType<typeof createEndpoints>;
  deliveries: ReturnType<typeof createDeliveryDesk>;
  /** For addresses other rooms keep. */
  checkAddress: CheckAddress;
  /** Makes the default secret of a new workspace, in the transaction that makes the workspace. */
  onWorkspaceCreated(tx: AnySql, workspace: { id: string }): Promise<void>;
  /** Begins to deliver. */
  start(): void;
  stop(): Promise<void>;
}

/** Everything of webhooks but the writing of deliveries, which is `createDeliveries`, where events are written. */
export function createWebhooksRoom(deps: WebhooksDeps): WebhooksRoom {
  const { sql, clock, log, box, config, onFailed, fetchOptions = {} } = deps;
  const allow = config.FETCH_ALLOW.split(',').flatMap((network) => network.trim() || []);
  const fetch = createSafeFetch({ ...fetchOptions, allow, clock });
  const secrets = createSecrets({ box, clock });
  const { resolve } = fetchOptions;
  const checkAddress = createAddressCheck({ allow, clock, ...(resolve ? { resolve } : {}) });
  let sender: Sender | null = null;
  return {
    endpoints: createEndpoints({ sql, clock, secrets, checkAddress }),
    deliveries: createDeliveryDesk({ sql, clock, fetch, secrets }),
    checkAddress,
    async onWorkspaceCreated(tx, { id }) {
      await secrets.ensureDefault(tx, id);
    },
    start() {
      sender = startSender({ sql, clock, log, fetch, secrets, ...(onFailed ? { onFailed } : {}) });
    },
    async stop() {
      await sender?.stop();
    },
  };
}
