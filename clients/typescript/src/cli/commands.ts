import { writeFile } from 'node:fs/promises';
import { OPERATIONS } from '../../generated/operations.ts';
import type { Client, OperationName } from '../client.ts';
import { moneyOf, tableOf } from './table.ts';
import { tailCall, tailCalls, tailSpeech } from './tail.ts';

type FlagValue = string | boolean | (string | boolean)[] | undefined;

/** What a command gets. */
export interface Run {
  client: Client;
  /** Of the service, which serves the console as well. */
  url: string;
  /** After the command's name. */
  args: readonly string[];
  flags: Readonly<Record<string, FlagValue>>;
  print(text: string): void;
  signal: AbortSignal;
}

export interface Command {
  /** What follows the name: `<agent_id> <number>`. */
  takes: string;
  help: string;
  /** Flags beside those of every command. They take a value, `list` one each time; `switch`: none. */
  flags?: Record<string, { help: string; takes?: 'list' | 'switch' }>;
  example: string;
  /** Returns what `--json` prints, and as text what is printed without it; undefined: it printed by itself. */
  run(run: Run): Promise<{ json: unknown; text: string } | undefined>;
}

export class UsageError extends Error {}

const CALL_HEAD = ['ID', 'CREATED', 'DIRECTION', 'FROM', 'TO', 'STATUS', 'SECONDS', 'COST', 'AGENT'];
const LIMIT = { limit: { help: 'rows, 20 when left out' } };

const limitOf = ({ limit }: Run['flags']) => {
  const rows = Number(limit ?? 20);
  if (!Number.isInteger(rows) || rows < 1) throw new UsageError('--limit takes a whole number');
  return rows;
};
const textOf = (value: Run['flags'][string]) => (typeof value === 'string' ? value : undefined);

const list = <Row>(json: readonly Row[], head: readonly string[], cells: (row: Row) => readonly unknown[]) => ({
  json,
  text: json.length === 0 ? 'none' : tableOf(head, json.map(cells)),
});

/** Every command by its name. */
export const COMMANDS: Record<string, Command> = {
  'agents list': {
    takes: '',
    help: 'all agents, newest first',
    example: 'antiphon agents list',
    run: async ({ client }) =>
      list(await client.listAgents(), ['ID', 'NAME', 'STATUS', 'VERSION', 'NUMBER', 'MODEL'], (agent) => [
        ...[agent.id, agent.name, agent.status, agent.version, agent.phone_number, agent.llm.model],
      ]),
  },
  'agents get': {
    takes: '<agent_id>',
    help: 'one agent with its configuration, as JSON',
    example: 'antiphon agents get 0190d2f4a1b27c3d8e4f5a6b7c8d9e0f > agent.json',
    async run({ client, args: [agent_id = ''] }) {
      const json = await client.getAgent({ agent_id });
      return { json, text: JSON.stringify(json, null, 2) };
    },
  },
  'calls list': {
    takes: '',
    help: 'the latest calls',
    flags: { ...LIMIT, agent: { help: 'calls of this agent' }, status: { help: 'comma-separated' } },
    example: 'antiphon calls list --status failed,no-answer --limit 50',
    async run({ client, flags }) {
      const status = textOf(flags.status)?.split(',') as never;
      const { items } = await client.listCalls({ limit: limitOf(flags), agent_id: textOf(flags.agent), status });
      return list(items, CALL_HEAD, (call) => [
        ...[call.id, call.created_at, call.direction, call.from_number, call.to_number, call.status],
        ...[call.duration_seconds, moneyOf(call.cost_paise, call.currency), call.agent_name],
      ]);
    },
  },
  'calls get': {
    takes: '<call_id>',
    help: 'one call: what was said, how it ended, what it cost',
    example: 'antiphon calls get 0190d2f4a1b27c3d8e4f5a6b7c8d9e0f',
    async run({ client, args: [call_id = ''] }) {
      const call = await client.getCall({ call_id });
      const facts: [string, unknown][] = [
        ...([
          ['call', call.id],
          ['agent', call.agent_name],
          ['status', call.status],
        ] as [string, unknown][]),
        ...([
          ['from', call.from_number],
          ['to', call.to_number],
          ['seconds', call.duration_seconds],
        ] as [string, unknown][]),
        ['ended by', [call.hangup_by, call.hangup_reason].filter(Boolean).join(': ')],
        ['cost', moneyOf(call.cost_paise, call.currency)],
        ['summary', call.summary],
      ];
      const said = call.transcript.map(({ role, text }) => [role, text]);
      return {
        json: call,
        text: [tableOf(['', ''], facts).trim(), ...(said.length > 0 ? ['', tableOf(['WHO', 'SAID'], said)] : [])].join(
          '\n',
        ),
      };
    },
  },
  'calls place': {
    takes: '<agent_id> <number>',
    help: 'an agent calls a number',
    flags: {
      var: { help: 'a variable of the agent, name=value', takes: 'list' },
      follow: { help: 'print the timeline until the call is over', takes: 'switch' },
    },
    example: 'antiphon calls place 0190d2f4a1b27c3d8e4f5a6b7c8d9e0f +919811112222 --var name=Asha --follow',
    async run({ client, args: [agent_id = '', to_number = ''], flags, print, signal }) {
      const given = Array.isArray(flags.var) ? flags.var : [];
      const user_data = Object.fromEntries(
        given.map((each) => {
          const [, name, value] = /^([^=]+)=(.*)$/s.exec(String(each)) ?? [];
          if (name === undefined) throw new UsageError(`--var ${each}: write name=value`);
          return [name, value!];
        }),
      );
      const call = await client.placeCall({ agent_id, body: { to_number, user_data } });
      if (!flags.follow) return { json: call, text: `${call.id}  ${call.status}` };
      await tailCall(client, call.id, { print, signal, json: flags.json === true });
      return undefined;
    },
  },
  'calls tail': {
    takes: '[call_id]',
    help: 'live: the timeline of a call until it is over, or every change of all calls until Ctrl+C',
    example: 'antiphon calls tail',
    async run({ client, args: [callId], flags, print, signal }) {
      const output = { print, signal, json: flags.json === true };
      await (callId === undefined ? tailCalls(client, output) : tailCall(client, callId, output));
      return undefined;
    },
  },
  listen: {
    takes: '<call_id>',
    help: 'live: what is said in a call, as text, until it is over; and where in the console to hear it',
    example: 'antiphon listen 0190d2f4a1b27c3d8e4f5a6b7c8d9e0f',
    async run({ client, url, args: [call_id = ''], flags, print, signal }) {
      const json = flags.json === true;
      // Listening in is WebRTC, which needs a browser.
      if (!json) print(`to hear it: ${url.replace(/\/+$/, '')}/calls/${call_id}`);
      await tailSpeech(client, call_id, { print, signal, json });
      return undefined;
    },
  },
  'calls hangup': {
    takes: '<call_id>',
    help: 'ends a live call, or takes a queued one back',
    example: 'antiphon calls hangup 0190d2f4a1b27c3d8e4f5a6b7c8d9e0f',
    async run({ client, args: [call_id = ''] }) {
      const call = await client.hangUpCall({ call_id });
      return { json: call, text: `${call.id}  ${call.status}` };
    },
  },
  'calls recording': {
    takes: '<call_id> <file>',
    help: 'stereo WAV: the caller left, the agent right',
    example: 'antiphon calls recording 0190d2f4a1b27c3d8e4f5a6b7c8d9e0f call.wav',
    async run({ client, args: [call_id = '', file = ''] }) {
      const response = await client.getCallRecording({ call_id });
      const bytes = new Uint8Array(await response.arrayBuffer());
      await writeFile(file, bytes);
      return { json: { file, bytes: bytes.length }, text: `${file}: ${bytes.length} bytes` };
    },
  },
  'batches list': {
    takes: '',
    help: 'the latest batches',
    flags: LIMIT,
    example: 'antiphon batches list',
    async run({ client, flags }) {
      const { items } = await client.listBatches({ limit: limitOf(flags) });
      return list(items, ['ID', 'NAME', 'STATUS', 'CREATED'], ({ id, name, status, created_at }) => [
        ...[id, name, status, created_at],
      ]);
    },
  },
  'numbers list': {
    takes: '',
    help: 'the phone numbers of the workspace',
    example: 'antiphon numbers list',
    run: async ({ client }) =>
      list(await client.listNumbers(), ['NUMBER', 'CARRIER', 'AGENT'], ({ number, provider, agent_id }) => [
        ...[number, provider, agent_id],
      ]),
  },
  balance: {
    takes: '',
    help: 'credits, and how long they last',
    example: 'antiphon balance',
    async run({ client }) {
      const json = await client.getBalance();
      return { json, text: `${moneyOf(json.credits_paise, json.currency)}, ${json.minutes_left} minutes` };
    },
  },
  api: {
    takes: '<operation> [input]',
    help: 'any operation of the API by its id; the input is JSON: parameters, and `body`',
    example: `antiphon api listVoices '{"language": "hi"}'`,
    async run({ client, args: [name = '', input = '{}'] }) {
      if (!Object.hasOwn(OPERATIONS, name)) throw new UsageError(`${name} is no operation; /openapi.json lists them`);
      let given: never;
      try {
        given = JSON.parse(input) as never;
      } catch {
        throw new UsageError(`the input is not JSON: ${input}`);
      }
      const result = await (client[name as OperationName] as (input: never) => Promise<unknown>)(given);
      if (result instanceof Response) return { json: null, text: await result.text() };
      return { json: result ?? null, text: result === undefined ? 'done' : JSON.stringify(result, null, 2) };
    },
  },
};
