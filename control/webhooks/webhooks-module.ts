import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { readEgressProxy } from '../../shared/egress-proxy.ts';
import type { Logger } from '../../shared/log.ts';
import { createSafeFetch, type SafeFetchOptions } from '../../shared/safe-fetch.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { type CheckUrl, createUrlCheck } from './check-url.ts';
import { type DeliverySender, type FailedAttempt, startDeliverySender } from './delivery-sender.ts';
import { type CompleteBody, storedWhole } from './envelope.ts';
import { createDeliveryService } from './manage-deliveries.ts';
import { createEndpointService } from './manage-endpoints.ts';
import { ReceiverConnections } from './receiver-connections.ts';
import { webhookRoutes } from './routes.ts';
import { createWebhookSecrets } from './webhook-secrets.ts';

export interface WebhooksModuleDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  box: SecretBox;
  config: { FETCH_ALLOW: string; EGRESS_PROXY?: string };
  onFailed?: (failed: FailedAttempt) => void;
  /** Puts into stored bodies what other modules keep. */
  bodyCompletion?: (sql: Sql) => CompleteBody;
  /** For tests: name resolution and a certificate authority. */
  fetchOptions?: Pick<SafeFetchOptions, 'resolve' | 'ca'>;
}

export interface WebhooksModule {
  /** The endpoints of the group Webhooks. */
  routes(http: FastifyInstance): void;
  endpoints: ReturnType<typeof createEndpointService>;
  /** For URLs that other modules store. */
  checkUrl: CheckUrl;
  /** Creates the default secret of a new workspace, in the transaction that creates the workspace. */
  onWorkspaceCreated(tx: AnySql, workspace: { id: string }): Promise<void>;
  /** Starts the sender. */
  start(jobsSql?: Sql): void;
  stop(): Promise<void>;
}

/** Wires the webhooks; deliveries are created by `deliveryParts`, in the transaction of their events. */
export function createWebhooksModule(deps: WebhooksModuleDeps): WebhooksModule {
  const { sql, clock, log, box, config, onFailed, bodyCompletion = () => storedWhole, fetchOptions = {} } = deps;
  const allow = commaSeparated(config.FETCH_ALLOW);
  const connections = new ReceiverConnections(clock);
  const fetch = createSafeFetch({
    ...{ ...fetchOptions, allow, clock, agent: connections },
    proxy: readEgressProxy(config.EGRESS_PROXY),
  });
  const secrets = createWebhookSecrets({ box, clock });
  const { resolve } = fetchOptions;
  const checkUrl = createUrlCheck({ allow, clock, ...(resolve ? { resolve } : {}) });
  let sender: DeliverySender | null = null;
  const endpoints = createEndpointService({ sql, clock, secrets, checkUrl });
  const deliveries = createDeliveryService({ sql, clock, fetch, secrets, completeBody: bodyCompletion(sql) });
  return {
    routes: (http) => webhookRoutes(http, { endpoints, deliveries }),
    endpoints,
    checkUrl,
    async onWorkspaceCreated(tx, { id }) {
      await secrets.ensureDefault(tx, id);
    },
    start(jobsSql = sql) {
      const completeBody = bodyCompletion(jobsSql);
      const more = onFailed ? { onFailed } : {};
      sender = startDeliverySender({ sql: jobsSql, clock, log, fetch, secrets, completeBody, ...more });
    },
    async stop() {
      await sender?.stop();
      connections.destroy();
    },
  };
}
