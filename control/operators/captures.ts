import { rm } from 'node:fs/promises';
import type { AuditAction } from '../../shared/audit-actions.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { setCaptured } from '../agents/capture-setting.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { workspaceOfCall } from '../calls/call-lookups.ts';
import { capturePath, exportCapture, listCaptures } from './capture-files.ts';
import { SCENARIOS_DIR, writeScenario } from './capture-scenario.ts';
import { type Command, checkWorkspace, day, OPERATOR, type OperatorDeps, OperatorError } from './command.ts';
import { tableOf } from './table.ts';

/** Captures of calls: switching them on, listing, deleting and exporting them. Their format: `shared/capture.ts`. */

async function setAgentCapture(
  { sql, wallMs, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  agent_id: string,
  captured: boolean,
) {
  await checkWorkspace(sql, workspace_id);
  return sql.begin(async (tx) => {
    const agent = ID_PATTERN.test(agent_id) ? await setCaptured(tx, workspace_id, agent_id, captured) : null;
    if (!agent) throw new OperatorError(`agent ${agent_id} not found`);
    await writeAudit(tx, {
      workspace_id,
      actor: by,
      action: captured ? 'agent.capture_on' : 'agent.capture_off',
      target: { kind: 'agent', id: agent_id, name: agent.name },
      at_ms: wallMs,
    });
    return { workspace_id, agent_id, captured };
  });
}

/** Writes an audit event of the call's workspace, where the call is known, before the action itself. */
async function auditCall(
  { sql, wallMs, by = OPERATOR }: OperatorDeps,
  callId: string,
  action: AuditAction,
  data: Record<string, boolean>,
) {
  const workspace_id = await workspaceOfCall(sql, callId);
  if (workspace_id === null) return;
  const target = { kind: 'call', id: callId, name: '' };
  await writeAudit(sql, { workspace_id, actor: by, action, target, data, at_ms: wallMs });
}

function capturesDir(): string {
  const folder = process.env.CAPTURES_DIR ?? '';
  if (folder === '') throw new OperatorError('CAPTURES_DIR is missing: the folder where media writes captures');
  return folder;
}

export const CAPTURE_COMMANDS: readonly Command[] = [
  ...([true, false] as const).map(
    (captured): Command => ({
      name: captured ? 'capture on' : 'capture off',
      usage: 'WORKSPACE AGENT',
      description: captured
        ? "capture the agent's calls from now on, with everything that is said, for replays"
        : 'capture no further calls of the agent',
      example: `capture ${captured ? 'on' : 'off'} WORKSPACE AGENT`,
      positionals: 2,
      async run(deps, [workspace, agent]) {
        const result = await setAgentCapture(deps, workspace!, agent!, captured);
        return { result, lines: [captured ? "the agent's next calls are captured" : 'no further call is captured'] };
      },
    }),
  ),
  {
    name: 'capture list',
    reads: true,
    usage: '',
    description:
      'list the captures in CAPTURES_DIR, newest first; an unfinished one: its call is live, or its engine crashed',
    example: 'capture list',
    positionals: 0,
    async run() {
      const folder = capturesDir();
      const captures = await listCaptures(folder);
      const lines = tableOf(captures, 'no captures', {
        call: ({ call_id }) => call_id,
        made: ({ made_at }) => day(made_at),
        kib: ({ size_bytes }) => Math.ceil(size_bytes / 1_024),
        state: ({ complete }) => (complete ? 'complete' : 'unfinished'),
      });
      return { result: { captures }, lines };
    },
  },
  {
    name: 'capture delete',
    usage: 'CALL',
    description: 'delete the capture of a call; captures have no retention',
    example: 'capture delete CALL',
    positionals: 1,
    async run(deps, [call]) {
      const path = await capturePath(capturesDir(), call!);
      await auditCall(deps, call!, 'capture.deleted', {});
      await rm(path);
      return { result: { call_id: call }, lines: [`the capture of call ${call} is deleted`] };
    },
  },
  {
    name: 'capture export',
    usage: 'CALL FILE [--words yes|no]',
    description: 'copy a capture to a file; without --words yes everything that was said is redacted',
    example: 'capture export CALL call.capture.gz --words no',
    positionals: 2,
    options: ['words'],
    async run(deps, [call, file], { words = 'no' }) {
      if (words !== 'yes' && words !== 'no') throw new OperatorError('--words is yes or no');
      await capturePath(capturesDir(), call!);
      await auditCall(deps, call!, 'capture.exported', { words: words === 'yes' });
      const lines = await exportCapture(capturesDir(), call!, file!, words === 'yes');
      return { result: { call_id: call, file, lines }, lines: [`${file}: ${lines} lines`] };
    },
  },
  {
    name: 'capture scenario',
    usage: 'CALL NAME [--folder FOLDER]',
    description: `turn a captured call, redacted, into a test of the engine: NAME.capture.gz and NAME.json, in ${SCENARIOS_DIR}`,
    example: 'capture scenario CALL caller-interrupts',
    positionals: 2,
    options: ['folder'],
    async run(deps, [call, name], { folder = SCENARIOS_DIR }) {
      await capturePath(capturesDir(), call!);
      await auditCall(deps, call!, 'capture.exported', { words: false });
      const { events } = await writeScenario(capturesDir(), call!, name!, folder);
      return { result: { call_id: call, name, folder, events }, lines: [`${folder}/${name}.json:`, ...events] };
    },
  },
];
