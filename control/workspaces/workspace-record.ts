import { z } from 'zod';
import type { MemberRole } from '../http/permissions.ts';
import { SCOPES } from '../http/scopes.ts';
import { time } from '../http/times.ts';

/** The records of the tag Workspace, as the API shows them. */

export const KYC_STATUSES = ['not_submitted', 'submitted', 'approved', 'rejected'] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];

export const PROFILE_FIELDS = [
  'company_name',
  'website',
  'industry',
  'use_case',
  'team_size',
  'monthly_calls',
  'phone',
  'country',
] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

const answered = z.string().describe('empty until it was filled in');
export const profileRecord = z
  .object(Object.fromEntries(PROFILE_FIELDS.map((field) => [field, answered])) as Record<ProfileField, typeof answered>)
  .meta({ id: 'WorkspaceProfile' });

export const securityRecord = z
  .object({
    keys_may_make_keys: z
      .boolean()
      .describe('off: only people make and rotate API keys; on: keys without limits and connected apps as well'),
    confirm_password: z
      .boolean()
      .describe(
        'keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes',
      ),
  })
  .meta({ id: 'WorkspaceSecurity' });

export const logLevel = z.enum(['info', 'warning', 'error']);

export const workspaceRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('1 to 120 characters'),
    state: z
      .enum(['onboarding', 'active', 'suspended', 'closed'])
      .describe('onboarding until the business details are approved; only an active one may place calls'),
    kyc_status: z.enum(KYC_STATUSES).describe('where the business details stand'),
    currency: z.enum(['INR', 'USD']).describe('what credits and prices are counted in'),
    timezone: z.string().describe('IANA name'),
    plan_id: z.string().describe('as in the list of plans'),
    plan_name: z.string().describe('for display'),
    alert_emails: z
      .array(z.string())
      .describe('who gets an email when something needs attention; unless set, the owner'),
    profile: profileRecord.describe('what the workspace entered about its business'),
    system_logs: z
      .object({
        enabled: z.boolean().describe('off: nothing is written'),
        level: logLevel.describe('the lowest that is logged'),
      })
      .describe('which lines are logged'),
    security: securityRecord.describe('what asks for more than the permission of a role'),
    created_at: time(),
  })
  .meta({ id: 'Workspace' });

export const limitRequestRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    requested_limit: z.int().describe('live calls'),
    reason: z.string().describe('why more are needed, in its own words'),
    status: z.enum(['open', 'approved', 'declined']).describe("open until the service's team has decided"),
    answer: z.string().describe("the service's team's words; empty until it is decided"),
    requested_by: z.string().describe('a name'),
    created_at: time(),
    decided_at: time().nullable(),
  })
  .meta({ id: 'LimitRequest' });

export const limitsRecord = z
  .object({
    concurrency_limit: z.int().describe('live calls at most, extra lines included'),
    active_calls: z.int().describe('ringing or in progress'),
    queued_calls: z.int().describe('waiting for their turn'),
    pending_request: limitRequestRecord.nullable().describe('the open request; null when there is none'),
    plan_limit: z.int().describe('live calls of the plan'),
    extra_lines: z.int().describe('bought besides'),
    api_requests_per_minute: z.int().describe('of each key and connected app'),
    agents: z
      .object({ used: z.int().describe('how many there are'), limit: z.int().describe('how many there may be') })
      .describe('of the workspace'),
    members: z
      .object({
        used: z.int().describe('members and pending invites'),
        limit: z.int().nullable().describe('null: no limit'),
      })
      .describe('limit null: as many as you like'),
  })
  .meta({ id: 'Limits' });

export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const satisfies MemberRole[];
export const memberRole = z.enum(ROLES);

export const memberRecord = z
  .object({
    user_id: z.string().describe('the id of the person'),
    name: z.string().describe('of the person'),
    email: z.string().describe('what they sign in with'),
    role: memberRole.describe('what they may do here'),
    two_factor: z.boolean().describe('signs in with two steps'),
    you: z.boolean().describe('the one who asks'),
    joined_at: time(),
    last_seen_at: time().nullable(),
  })
  .meta({ id: 'Member' });

/** An owner is made, not invited. */
export const invitedRole = z.enum(['admin', 'developer', 'viewer']);

export const inviteRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    email: z.string().describe('whom it was sent to'),
    role: invitedRole.describe('of the member to be'),
    status: z.enum(['pending', 'expired']).describe('expired after 7 days'),
    invited_by: z.string().describe('a name'),
    created_at: time(),
    expires_at: time(),
  })
  .meta({ id: 'Invite' });

export const newInviteRecord = inviteRecord
  .extend({ link: z.string().describe('also mailed; shown this once') })
  .meta({ id: 'NewInvite' });

export const inviteInfoRecord = z
  .object({
    workspace_name: z.string().describe('where one is invited to'),
    email: z.string().describe('whom it was sent to'),
    role: invitedRole.describe('of the member to be'),
    invited_by: z.string().describe('a name'),
    expires_at: time(),
  })
  .meta({ id: 'InviteInfo' });

export const keyRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('the label it was given'),
    prefix: z.string().describe('its first 12 characters'),
    created_by: z.string().describe('a person, or the key that made it'),
    created_at: time(),
    last_used_at: time('written at most once a minute').nullable(),
    last_used_address: z.string().describe('the IP address it was used from then; empty before'),
    scopes: z.array(z.enum(SCOPES)).nullable().describe('what it may do; null: all that keys may'),
    expires_at: time('when it stops working').nullable(),
    allowed_addresses: z.array(z.string()).describe('where it is accepted from; empty: anywhere'),
    replaced_by: z.string().nullable().describe('the id of the key that was made when it was rotated'),
  })
  .meta({ id: 'ApiKey' });

export const newKeyRecord = keyRecord
  .extend({ key: z.string().describe('the whole key; shown this once') })
  .meta({ id: 'NewApiKey' });
