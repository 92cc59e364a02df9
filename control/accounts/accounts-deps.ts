import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { Passwords } from './password.ts';

/** What accounts need, passed in by app.ts. */
export interface AccountsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  passwords: Passwords;
  /** Encrypts the secrets of authenticators. */
  box: SecretBox;
  /** People whose address is not confirmed may not spend. */
  verifiedEmailRequired: boolean;
  /** After so many days a session ends, however much it is used. */
  sessionMaxDays: number;
  /** Public URL of this API. Links in emails are built from it, never from a request's headers. */
  publicUrl: string;
  /** Creates a workspace that waits for its KYC, in the transaction of the sign-up. */
  openWorkspace(
    tx: Transaction,
    workspace: { id: string; name: string; timezone: string; created_at: Date },
  ): Promise<void>;
  /** Creates what else a workspace needs: wallet, welcome credits, webhook secret. */
  onWorkspaceCreated(tx: Transaction, workspace: { id: string; owner_id: string; at_ms: number }): Promise<void>;
  /** Cancels the queued calls when the last member left. The workspace is locked. */
  onWorkspaceClosed(tx: Transaction, workspaceId: string, atMs: number): Promise<void>;
}

export const PRODUCT = 'Voice Agent Service';
