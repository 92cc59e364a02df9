import type { AnySql } from '../db/connect.ts';
import { findKyc, type KycStatus } from './store.ts';

/** Where a workspace stands with its business details: shown on the workspace itself. */
export async function kycStatusOf(sql: AnySql, workspaceId: string): Promise<KycStatus> {
  return (await findKyc(sql, workspaceId)).status;
}
