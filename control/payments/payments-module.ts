import type { FastifyInstance } from 'fastify';
import type { ControlConfig } from '../config.ts';
import { type Sql, wakeAfterCommit } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { parseOrigins } from '../http/cors.ts';
import { configuredGateways } from './configured-gateways.ts';
import type { Gateways } from './gateway.ts';
import { startPaymentLooks } from './look-at-payments.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { startReversalReconciler } from './reconcile-reversals.ts';
import { paymentRoutes } from './routes.ts';

export interface PaymentsModule {
  gateways: Gateways;
  /** What a checkout within the console's page loads from elsewhere. */
  pageOrigins: string[];
  routes(http: FastifyInstance): void;
  start(jobsSql?: Sql): void;
  stop(): Promise<void>;
}

export interface PaymentsModuleDeps extends Omit<PaymentDeps, 'gateways' | 'returnUrl' | 'consoleOrigins'> {
  config: ControlConfig;
  consoleUrl: string;
}

/** Buying credits through payment gateways. @throws Error when the settings of a gateway are incomplete. */
export function createPaymentsModule({ config, consoleUrl, ...rest }: PaymentsModuleDeps): PaymentsModule {
  const gateways = configuredGateways(config);
  const pages = { returnUrl: consoleUrl, consoleOrigins: parseOrigins(config.CONSOLE_ORIGINS) };
  const deps: PaymentDeps = { ...rest, ...pages, gateways };
  let looks: PollingJob | null = null;
  let reversals: PollingJob | null = null;
  return {
    gateways,
    pageOrigins: [...gateways.values()].flatMap((gateway) => gateway.pageOrigins),
    routes: (http) => paymentRoutes(http, deps, () => wakeAfterCommit(deps.sql, 'payments', '')),
    start(jobsSql = deps.sql) {
      looks = startPaymentLooks({ ...deps, sql: jobsSql });
      reversals = startReversalReconciler({ ...deps, sql: jobsSql });
    },
    async stop() {
      await Promise.all([looks?.stop(), reversals?.stop()]);
    },
  };
}
