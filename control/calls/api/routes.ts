import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CALL_STATUSES } from '../../../shared/call.ts';
import { E164_PATTERN } from '../../../shared/phone.ts';
import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import type { Sql } from '../../db/connect.ts';
import { notFound } from '../../http/errors.ts';
import { downloadHeaders } from '../../http/file-response.ts';
import { commaSeparated, pageOf, paging, pathId, queryInteger } from '../../http/query.ts';
import { file, route } from '../../http/route.ts';
import { serializeResponse } from '../../http/serialize-response.ts';
import { timeIn, timeInput } from '../../http/times.ts';
import { createOpusRecordings } from '../../recordings/opus-recording.ts';
import {
  callRecord,
  callSummary,
  offsetIn,
  timelineItem,
  timelineItemIn,
  userDataInput,
  withOffsets,
} from '../call-record.ts';
import type { CallRow } from '../call-row.ts';
import { placeTraced } from '../lifecycle/call-spans.ts';
import { type HangUpDeps, hangUpCall } from '../lifecycle/hang-up.ts';
import { createPlacer } from '../queue/gather-placements.ts';
import { queuePositions } from '../queue/queue-position.ts';
import { type PauseRecordingDeps, pauseRecording } from '../recordings/pause-recording.ts';
import { opusResponse, recordingResponse, wasFetchedRecently } from '../recordings/serve-recording.ts';
import { eventsOfCall, findCall } from '../store.ts';
import { exportCalls, MAX_EXPORTED_CALLS } from './export-calls.ts';
import type { ListedCall } from './list-calls.ts';
import { createPageReader } from './read-page.ts';

export interface CallRoutesDeps extends HangUpDeps, PauseRecordingDeps {
  bus: HangUpDeps['bus'] & PauseRecordingDeps['bus'];
  /** For exports; `sql`. */
  reportsSql?: Sql;
  /** For hanging up; `sql`. */
  callsSql?: Sql;
  /** Where the engines leave recordings. */
  recordings: RecordingStore;
}

const TAG = 'Calls';

const params = z.object({ call_id: pathId('call') });

const placeBody = z.object({
  to_number: z.string().regex(E164_PATTERN).describe('whom to call, E.164'),
  from_number: z.string().regex(E164_PATTERN).optional().describe("one of the workspace's active numbers"),
  user_data: userDataInput.default({}),
  not_before: timeInput('not called earlier; at most 7 days ahead').optional(),
});

const id = z.string().regex(/^[a-f0-9]{32}$/);
const filterQuery = {
  agent_id: id.optional().describe('calls of this agent'),
  batch_id: id.optional().describe('calls of this batch'),
  status: commaSeparated(CALL_STATUSES).optional().describe('comma-separated'),
  direction: z.enum(['outbound', 'inbound']).optional().describe('who called whom'),
  channel: z.enum(['phone', 'web']).optional().describe("telephone, or browser and client's stream"),
  // In a query an unescaped plus arrives as a space.
  number: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.replace(/^ /, '+') : value),
      z.string().regex(/^\+?[0-9]{4,15}$/),
    )
    .optional()
    .describe('either side: E.164, or at least its last 4 digits'),
  answered_by: z.enum(['human', 'machine']).optional().describe('where it is known'),
  since: timeInput('created at this time or later').optional(),
  until: timeInput('created before this time').optional(),
  min_duration: queryInteger(0, 86_400).optional().describe('seconds; lasted at least so long'),
  q: z.string().min(2).max(100).optional().describe('words of the summary or the transcript'),
};
const listQuery = z.object({
  ...filterQuery,
  ...paging(50, 200),
  after: id.optional().describe('the last call of the page before: goes on behind it, whatever was created meanwhile'),
});
const listResponse = pageOf(callSummary).extend({
  total_is_estimate: z
    .literal(true)
    .optional()
    .describe('there are about `total` or more: with `number`, `min_duration` or `q` that many calls match'),
});

/** The endpoints of the group Calls. */
export function callRoutes(app: FastifyInstance, deps: CallRoutesDeps): void {
  const { sql, reportsSql = sql, callsSql = sql, clock, recordings } = deps;

  const opus = createOpusRecordings(clock);
  const place = createPlacer({ sql, clock });
  const readPage = createPageReader(sql, async ({ zone }, { items, total, total_is_estimate }) => {
    const page = { items: await withPositions(items), total, total_is_estimate };
    return serializeResponse(zone, listResponse, page);
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/call',
    tag: TAG,
    summary: 'Place a call: it joins the queue and is dialled when a slot is free',
    credential: 'key',
    permission: 'calls.place',
    schema: { params: z.object({ agent_id: pathId('agent') }), body: placeBody, response: callRecord },
    success: 201,
    errors: [400, 402, 404, 409],
    idempotent: 'taken by the change',
    handler: async ({ params, body }, { workspace_id, actor, keyToTake: key, request }) =>
      withOffsets(await placeTraced(request, clock, () => place({ workspace_id, ...params, ...body, actor, key }))),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/calls',
    tag: TAG,
    summary: 'Calls, newest first',
    credential: 'key',
    permission: 'calls.view',
    schema: { query: listQuery, response: listResponse },
    success: 200,
    handler: async ({ query }, { workspace_id, zone }) => readPage({ workspace_id, zone, query }),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/calls/export',
    tag: TAG,
    summary: `The calls that match as CSV, newest first, at most ${MAX_EXPORTED_CALLS}`,
    credential: 'key',
    permission: 'calls.view',
    schema: {
      query: z.object(filterQuery),
      response: file('text/csv', 'a row per call; times in the zone, cost in major units'),
    },
    success: 200,
    async handler({ query }, { workspace_id, zone }) {
      const body = await exportCalls(reportsSql, workspace_id, query, zone);
      const day = timeIn(zone, clock.wall()).slice(0, 10);
      const headers = {
        ...downloadHeaders(`calls-${day}.csv`),
        'content-type': 'text/csv; charset=utf-8',
      };
      return { body, headers };
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/calls/{call_id}',
    tag: TAG,
    summary: 'One call with its transcript',
    credential: 'key',
    permission: 'calls.view',
    schema: { params, response: callRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) =>
      (await withPositions([withOffsets(await existing(workspace_id, params.call_id))]))[0]!,
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/calls/{call_id}/events',
    tag: TAG,
    summary: 'The whole timeline of a call, in order',
    credential: 'key',
    permission: 'calls.view',
    schema: { params, response: z.array(timelineItem) },
    success: 200,
    errors: [404],
    async handler({ params }, { workspace_id, zone }) {
      const call = await existing(workspace_id, params.call_id);
      const events = await eventsOfCall(sql, workspace_id, params.call_id);
      return events.map((event) => ({ ...timelineItemIn(zone, event), offset_ms: offsetIn(call, event.created_at) }));
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/calls/{call_id}/recording',
    tag: TAG,
    summary: 'The recording in stereo, caller left, agent right, as WAV or Opus; `Range` is understood for WAV',
    credential: 'key',
    permission: 'calls.view',
    schema: {
      params,
      query: z.object({
        format: z.enum(['wav', 'opus']).default('wav').describe('`opus`: in Ogg, about a tenth of the size'),
      }),
      response: file('audio/wav', 'the recording', ['audio/ogg']),
    },
    success: 200,
    errors: [404, 501, 502],
    async handler({ params, query }, { workspace_id, actor, request }) {
      const call = await existing(workspace_id, params.call_id);
      const answer =
        query.format === 'opus'
          ? await opusResponse(recordings, opus, call)
          : await recordingResponse(recordings, call, request.headers);
      if (answer.status === 416 || (await wasFetchedRecently(sql, call, actor, clock.wall()))) return answer;
      const target = { kind: 'call', id: call.id, name: '' };
      await writeAudit(sql, { workspace_id, actor, action: 'recording.downloaded', target, at_ms: clock.wall() });
      return answer;
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/hangup',
    tag: TAG,
    summary: 'End a live call, or cancel a queued one',
    credential: 'key',
    permission: 'calls.place',
    spends: false,
    schema: { params, response: callRecord },
    success: 200,
    errors: [404, 409],
    async handler({ params }, { workspace_id, actor }) {
      return (
        await withPositions([
          withOffsets(await hangUpCall({ ...deps, sql: callsSql }, workspace_id, params.call_id, actor)),
        ])
      )[0]!;
    },
  });

  for (const [order, paused, summary] of [
    ['pause', true, 'Pause the recording of a live call: both sides are silent in it; ends by itself'],
    ['resume', false, 'Resume the recording of a live call'],
  ] as const) {
    route(app, {
      method: 'POST',
      path: `/api/v1/calls/{call_id}/recording/${order}`,
      tag: TAG,
      summary,
      credential: 'key',
      permission: 'calls.place',
      spends: false,
      schema: { params, response: z.object({ paused: z.boolean().describe('whether the recording is paused now') }) },
      success: 200,
      errors: [404, 409],
      async handler({ params }, { workspace_id, actor }) {
        await pauseRecording({ ...deps, sql: callsSql }, workspace_id, params.call_id, paused, actor);
        return { paused };
      },
    });
  }

  async function existing(workspaceId: string, callId: string): Promise<CallRow> {
    const call = await findCall(sql, workspaceId, callId);
    if (!call) throw notFound('call');
    return call;
  }

  /** Calls of one workspace as records; only queued ones have a place in the queue. */
  async function withPositions<Call extends ListedCall>(calls: readonly Call[]) {
    const queued = calls.filter(({ status }) => status === 'queued').map(({ id }) => id);
    const positions = await queuePositions(sql, calls[0]?.workspace_id ?? '', queued, clock.wall());
    return calls.map((call) => ({ ...call, queue_position: positions.get(call.id) ?? null }));
  }
}
