import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useMay, useSession } from '../data/session.ts';
import {
  deleteMembersUserId,
  getMembers,
  getWorkspaceLimits,
  type Member,
  patchMembersUserId,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { InvitesSection } from './invites-section.tsx';
import { ROLES, type Role, roleName } from './roles.ts';
import { RolesTable } from './roles-table.tsx';
import { useChange } from './use-change.ts';
import { useIsActive, WorkspaceFrame } from './workspace-frame.tsx';

/** Who belongs to the workspace, who is invited, and what each role may do. */
export function MembersPage() {
  const may = useMay();
  const active = useIsActive();
  const limits = useQuery({
    queryKey: ['workspace-limits'],
    queryFn: ({ signal }) => ok(getWorkspaceLimits({}, { signal })),
  });
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => ok(getMembers({}, { signal })),
    // The API lists members of active workspaces only.
    enabled: active,
  });
  const seats = limits.data?.members;
  return (
    <WorkspaceFrame
      title={t('Members')}
      aside={
        <span class="quiet" role="status">
          {seats &&
            (seats.limit === null
              ? tn('{{count}} seat in use', '{{count}} seats in use', seats.used)
              : t('{{used}} of {{limit}} seats in use', { used: seats.used, limit: seats.limit }))}
        </span>
      }
    >
      {may('members.manage') && <InvitesSection />}
      {members.data ? (
        <MemberTable members={members.data} />
      ) : members.isError ? (
        <Problem error={members.error} what={t('the members')} onRetry={() => void members.refetch()} />
      ) : active ? (
        <Loading what={t('the members')} />
      ) : (
        <p class="quiet">{t('The list of members is shown as soon as the workspace is active.')}</p>
      )}
      <RolesTable />
    </WorkspaceFrame>
  );
}

function MemberTable({ members }: { members: readonly Member[] }) {
  const may = useMay();
  const confirmed = useConfirmed();
  const [removing, setRemoving] = useState<Member | null>(null);
  return (
    <section class="panel" aria-labelledby="members-title">
      <h2 id="members-title">{t('Members')}</h2>
      <ul class="rows" aria-label={t('Members')}>
        {members.map((member) => (
          <li key={member.user_id} class="member">
            <div class="row-text">
              <span>
                {member.name} {member.you && <span class="quiet">{t('(you)')}</span>}
              </span>
              <span class="quiet small">{member.email}</span>
              <span class="quiet small">
                {member.last_seen_at
                  ? t('Last here {{time}}', { time: timeText(member.last_seen_at, Date.now()) })
                  : t('Since {{time}}', { time: timeText(member.joined_at, Date.now()) })}
                {' · '}
                {member.two_factor ? t('signs in with two steps') : t('signs in with a password only')}
              </span>
            </div>
            <RoleChoice member={member} confirm={confirmed.run} />
            {may('members.manage') && (
              <button
                type="button"
                class="plain"
                aria-label={member.you ? t('Leave') : t('Remove {{name}}', { name: member.name })}
                onClick={() => setRemoving(member)}
              >
                {member.you ? t('Leave') : t('Remove')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {removing && <RemoveMember member={removing} confirm={confirmed.run} onClose={() => setRemoving(null)} />}
      {confirmed.dialog}
    </section>
  );
}

type Confirm = ReturnType<typeof useConfirmed>['run'];

function RoleChoice({ member, confirm }: { member: Member; confirm: Confirm }) {
  const may = useMay();
  const { refresh } = useSession();
  const changing = useChange<Role>({
    change: (role) => confirm(() => ok(patchMembersUserId(member.user_id, { role }))),
    reads: ['members'],
    what: t('the members'),
    onDone: (_value, role) => {
      toast(t('{{name}} is now {{role}}.', { name: member.name, role: roleName(role) }));
      if (member.you) void refresh();
    },
  });
  // Only owners make or unmake owners, and only they manage the business details.
  const isOwner = may('kyc.manage');
  if (!may('members.manage') || (member.role === 'owner' && !isOwner)) {
    return <span class="chip">{roleName(member.role)}</span>;
  }
  return (
    <div class="member-role">
      <select
        class="quiet-select"
        aria-label={t('Role of {{name}}', { name: member.name })}
        // Read anew after a change that was refused.
        key={`${member.role} ${changing.busy}`}
        value={member.role}
        disabled={changing.busy}
        onChange={(event) => changing.send(event.currentTarget.value as Role)}
      >
        {ROLES.filter((role) => isOwner || role !== 'owner').map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </select>
      <p class="error small" role="alert">
        {changing.problem}
      </p>
    </div>
  );
}

interface RemoveMemberProps {
  member: Member;
  confirm: Confirm;
  onClose: () => void;
}

function RemoveMember({ member, confirm, onClose }: RemoveMemberProps) {
  const { refresh, chooseWorkspace } = useSession();
  const removing = useChange({
    change: () => confirm(() => ok(deleteMembersUserId(member.user_id))),
    reads: member.you ? [] : ['members', 'workspace-limits'],
    what: t('the members'),
    onDone: () => {
      onClose();
      if (member.you) chooseWorkspace('');
      else toast(t('{{name}} is no longer a member.', { name: member.name }));
      void refresh();
    },
  });
  return (
    <ConfirmDialog
      title={member.you ? t('Leave this workspace?') : t('Remove {{name}}?', { name: member.name })}
      action={member.you ? t('Leave') : t('Remove')}
      busy={removing.busy}
      error={removing.problem}
      onConfirm={() => removing.send()}
      onClose={onClose}
    >
      {t('Access to this workspace ends at once. API keys that were made go on until they are revoked.')}
    </ConfirmDialog>
  );
}
