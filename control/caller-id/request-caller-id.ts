import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { callerIdFee } from '../billing/caller-id-fee.ts';
import { stopRenewal } from '../billing/renewals/renewals.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, validationError } from '../http/errors.ts';
import { ownActiveNumbers } from '../numbers/number-lookups.ts';
import { type ImageType, imageType, isReadableImage } from '../pdf/image-to-pdf.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { transitionCallerId } from './caller-id-transitions.ts';
import {
  type CallerIdRow,
  type CallerIdStatus,
  findLogo,
  insertRequest,
  listRequests,
  lockRequest,
  reserveNumbers,
} from './store.ts';

/** Requests that phones show a name and a logo for numbers of the workspace. */

export const MAX_LOGO_BYTES = 1024 * 1024;

export interface NewCallerId {
  /** E.164, each once. */
  numbers: string[];
  display_name: string;
  call_reason: string;
  logo: Buffer;
}

export interface CallerIdDeps {
  sql: Sql;
  clock: Clock;
}

export function createCallerIds({ sql, clock }: CallerIdDeps) {
  /** Ends a request on behalf of its workspace, if it is in one of the states. */
  const end = async (
    { workspaceId, actor, id }: { workspaceId: string; actor: Actor; id: string },
    from: readonly CallerIdStatus[],
    to: 'withdrawn' | 'removed',
  ) =>
    sql.begin(async (tx) => {
      await lockWorkspace(tx, workspaceId);
      const row = await lockRequest(tx, workspaceId, id);
      if (!row) throw notFound('caller-id request');
      if (!from.includes(row.status)) throw conflict(`the caller-id request is ${row.status.replace('_', ' ')}`);
      await stopRenewal(tx, { workspace_id: workspaceId, kind: 'caller_id', subject_id: id });
      return transitionCallerId(tx, row, { status: to }, actor, clock.wall());
    });

  return {
    list: (workspaceId: string): Promise<CallerIdRow[]> => listRequests(sql, workspaceId),

    async request(workspaceId: string, actor: Actor, asked: NewCallerId): Promise<CallerIdRow> {
      const logo_type = await logoType(asked.logo);
      const at_ms = clock.wall();
      return sql.begin(async (tx) => {
        await refuseForeignNumbers(tx, workspaceId, asked.numbers);
        const row: CallerIdRow = {
          workspace_id: workspaceId,
          id: newId(at_ms),
          numbers: asked.numbers,
          display_name: asked.display_name,
          call_reason: asked.call_reason,
          status: 'submitted',
          rejection_reason: '',
          ...(await callerIdFee(tx, workspaceId)),
          paid_until: null,
          created_by: actor.name,
          created_at: new Date(at_ms),
          decided_at: null,
        };
        await insertRequest(tx, row, { logo: asked.logo, logo_type });
        const held = new Set(await reserveNumbers(tx, row));
        const taken = asked.numbers.find((number) => !held.has(number));
        if (taken !== undefined) throw conflict(`a caller-id request for ${taken} is already open`);
        await writeAudit(tx, {
          workspace_id: workspaceId,
          actor,
          action: 'caller_id.requested',
          target: { kind: 'caller_id_request', id: row.id, name: row.display_name },
          data: { numbers: row.numbers.map(maskNumber) },
          at_ms,
        });
        return row;
      });
    },

    async logo(workspaceId: string, id: string): Promise<{ logo: Buffer; logo_type: ImageType }> {
      const found = await findLogo(sql, workspaceId, id);
      if (!found) throw notFound('caller-id request');
      return found;
    },

    withdraw: (workspaceId: string, actor: Actor, id: string) =>
      end({ workspaceId, actor, id }, ['submitted', 'in_review'], 'withdrawn'),

    remove: (workspaceId: string, actor: Actor, id: string) => end({ workspaceId, actor, id }, ['active'], 'removed'),
  };
}

async function logoType(logo: Buffer): Promise<ImageType> {
  const type = imageType(logo);
  if (!type || !(await isReadableImage(logo))) throw new HttpError(415, 'only PNG or JPG files');
  return type;
}

async function refuseForeignNumbers(tx: Transaction, workspaceId: string, numbers: string[]): Promise<void> {
  const own = await ownActiveNumbers(tx, workspaceId, numbers);
  const index = numbers.findIndex((number) => !own.has(number));
  if (index < 0) return;
  throw validationError('this is not an active number of the workspace', ['numbers', index], numbers[index]);
}
