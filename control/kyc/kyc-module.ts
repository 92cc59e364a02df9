import type { FastifyInstance } from 'fastify';
import type { AnySql } from '../db/connect.ts';
import type { KycStatus } from '../workspaces/workspace-record.ts';
import type { KycDeps } from './manage-kyc.ts';
import { kycRoutes } from './routes.ts';
import { findKyc } from './store.ts';

/** Returns the KYC status of a workspace, for the workspace's own record. */
export async function kycStatusOf(sql: AnySql, workspaceId: string): Promise<KycStatus> {
  return (await findKyc(sql, workspaceId)).status;
}

/** Business details and documents of a workspace. */
export const createKycModule = (deps: KycDeps): { routes(http: FastifyInstance): void } => ({
  routes: (http) => kycRoutes(http, deps),
});
