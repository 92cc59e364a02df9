import {
  type WithHeaderLists,
  type WithHeaders,
  withHeaderLists,
  withHeaderValues,
} from '../tools/seal-tool-headers.ts';

/**
 * What an export of a workspace contains, table by table. `test/control/exports/exported-tables.test.ts` compares it with the database: a
 * table of workspaces is in one of the two lists, and a column that looks like a secret was decided on.
 */

export interface ExportedTable {
  /** Also the name of its file in the archive. */
  table: string;
  /** The column with the workspace's id; `workspace_id`. */
  owner?: string;
  /** Columns of the order in which it is read, after the workspace: those of an index, unique together. */
  order: readonly string[];
  /** Columns that never leave the database: credentials, and how the service does its work. */
  without?: readonly string[];
  /** Read call by call, because its index begins with `call_id`. */
  ofCalls?: true;
  /** Rows are large: few are read at once. */
  large?: true;
  /** Further fields, as SQL over `t`. */
  further?: Readonly<Record<string, string>>;
  /** Takes secrets out of a row. */
  cleaned?(row: Record<string, unknown>): Record<string, unknown>;
}

/** In place of a header's value, which may be a credential. */
const HIDDEN = '***';
const hiddenHeaders = <Item extends WithHeaders>(items: readonly Item[]) =>
  withHeaderValues(items, (value) => (value === '' ? '' : HIDDEN));
const inConfig = <Config>(config: Config) =>
  config ? withHeaderLists({ tools: [], ...config } as WithHeaderLists, hiddenHeaders) : config;

const LEASE = ['leased_until', 'lease_id', 'tries'] as const;

export const EXPORTED_TABLES: readonly ExportedTable[] = [
  { table: 'workspaces', owner: 'id', order: ['id'] },
  {
    ...{ table: 'memberships', order: ['user_id'] },
    further: {
      name: '(select name from users where users.id = t.user_id)',
      email: '(select email from users where users.id = t.user_id)',
    },
  },
  { table: 'invites', order: ['id'], without: ['token_hash'] },
  { table: 'api_keys', order: ['id'], without: ['hash'] },
  { table: 'oauth_apps', order: ['id'], without: ['secret_hash'] },
  { table: 'oauth_grants', order: ['id'] },
  { table: 'limit_requests', order: ['id'] },
  { table: 'audit_events', order: ['id'] },
  { table: 'server_logs', order: ['id'] },
  {
    ...{ table: 'agents', order: ['id'] },
    cleaned: (row) => ({ ...row, ...inConfig(row) }),
  },
  {
    ...{ table: 'agent_versions', order: ['agent_id', 'version'] },
    cleaned: (row) => ({ ...row, config: inConfig(row.config) }),
  },
  {
    ...{ table: 'agent_canaries', order: ['agent_id'] },
    cleaned: (row) => ({ ...row, config: inConfig(row.config) }),
  },
  { table: 'agent_shares', order: ['token'], without: ['token'] },
  { table: 'agent_pins', order: ['user_id', 'agent_id'] },
  {
    ...{ table: 'tools', order: ['id'] },
    cleaned: (row) => ({ ...row, ...hiddenHeaders([row as unknown as WithHeaders])[0] }),
  },
  { table: 'agent_test_scenarios', order: ['id'] },
  {
    ...{ table: 'agent_test_runs', order: ['id'], without: LEASE },
    cleaned: (row) => ({ ...row, agent: inConfig(row.agent) }),
  },
  { table: 'ambient_sounds', order: ['id'], large: true },
  { table: 'knowledge_bases', order: ['id'] },
  { table: 'knowledge_sources', order: ['id'], large: true, without: ['due_at', 'tries', 'claim'] },
  { table: 'knowledge_files', order: ['source_id'] },
  { table: 'knowledge_file_parts', order: ['source_id', 'number'], large: true },
  { table: 'knowledge_pages', order: ['source_id', 'number'], large: true },
  {
    ...{ table: 'calls', order: ['created_at', 'id'] },
    without: [
      ...[
        'media_nonce',
        'media_seq',
        'media_stream_seq',
        'event_seq',
        'engine_id',
        'heartbeat_at',
        'recording_unknown',
      ],
      ...['dial_state', 'dial_due_at', 'dial_tries', 'provider_usage'],
    ],
  },
  { table: 'call_events', order: ['call_id', 'seq'], ofCalls: true },
  { table: 'transfers', order: ['call_id', 'id'], ofCalls: true },
  { table: 'batches', order: ['id'] },
  { table: 'batch_uploads', order: ['id'], large: true },
  { table: 'batch_contacts', order: ['batch_id', 'row'] },
  { table: 'campaign_webhooks', order: ['batch_id'] },
  { table: 'webhook_endpoints', order: ['id'], without: ['secret'] },
  { table: 'webhook_bodies', order: ['id'] },
  { table: 'webhook_deliveries', order: ['id'], without: ['leased_until', 'lease_id', 'request_headers'] },
  { table: 'numbers', order: ['number'] },
  { table: 'number_orders', order: ['id'], without: ['absent_looks', 'next_attempt_at'] },
  { table: 'caller_id_requests', order: ['id'], large: true },
  { table: 'caller_id_numbers', order: ['number'] },
  { table: 'kyc', order: ['workspace_id'] },
  { table: 'kyc_documents', order: ['id'], large: true },
  { table: 'guardrail_incidents', order: ['id'] },
  { table: 'alerts', order: ['alert'] },
  { table: 'wallets', order: ['workspace_id'] },
  { table: 'ledger', order: ['seq'] },
  { table: 'coupon_redemptions', order: ['id'] },
  { table: 'renewals', order: ['kind', 'subject_id'], without: ['next_attempt_at'] },
  { table: 'invoices', order: ['id'] },
  { table: 'payments', order: ['id'], without: ['next_look_at'] },
  { table: 'payment_reversals', order: ['gateway', 'gateway_id'] },
];

/** Tables with a workspace that an export leaves out, and why. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  after_calls: 'what the service has yet to do after a call',
  alert_checks: 'what the service has yet to look at',
  batch_counts: 'counted from the contacts',
  bulk_cancels: 'what the service has yet to cancel',
  call_changes: 'added to totals, counted from the calls',
  call_counts: 'counted from the calls',
  call_erasures: 'whose calls the service has yet to erase',
  call_hangup_reasons: 'counted from the calls',
  call_search_changes: 'calls whose text is yet to be found',
  call_search_texts: 'an index of the calls',
  call_totals: 'counted from the calls',
  dispatch_turns: 'whose calls are dialled next',
  idempotency_keys: 'answers to requests, for a day; they may hold credentials',
  knowledge_passages: 'an index of the sources and pages',
  ledger_usage: 'counted from the ledger',
  ledger_usage_progress: 'how far the ledger is counted',
  mail_outbox: 'emails on their way, whose links are credentials',
  money_findings: "the operator's, about the service's books",
  number_findings: "the operator's, about the carriers' lists",
  oauth_codes: 'credentials',
  oauth_tokens: 'credentials',
  rate_windows: 'requests of the last minutes, counted',
  webhook_default_secrets: 'credentials',
  workspace_exports: 'the exports themselves',
};

/** Columns that look like a secret and are none. */
export const NO_SECRETS: readonly string[] = [
  ...['ambient_sounds.wav', 'caller_id_requests.logo', 'kyc_documents.pdf', 'knowledge_file_parts.content'],
  ...['webhook_endpoints.secret_hint', 'workspaces.keys_may_make_keys', 'workspaces.confirm_password'],
  ...['batches.keys', 'batch_uploads.keys', 'invoices.key', 'ledger.key'],
];
