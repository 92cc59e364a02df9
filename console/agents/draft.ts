import type { Agent } from '../generated/api.ts';

/** An agent's configuration while it is edited: what differs from the saved one, and how two changes come together. */

/** What the API sets itself. */
type ReadOnly =
  | 'id'
  | 'phone_number'
  | 'version'
  | 'updated_by'
  | 'created_at'
  | 'updated_at'
  | 'frozen_at'
  | 'frozen_reason'
  | 'frozen_incident_id'
  | 'frozen_from'
  | 'variables';

export type Draft = Omit<Agent, ReadOnly | 'status'> & { status: 'active' | 'paused' };
export type AgentTool = Draft['tools'][number];
export type McpServer = Draft['mcp_servers'][number];
export type Extraction = Draft['analytics']['extractions'][number];
export type TransferTarget = Draft['call']['transfer_targets'][number];

/** Returns the fields of an agent that can be set. The status of a frozen one cannot, and is sent as it was before. */
export function draftOf(agent: Agent): Draft {
  const { name, welcome_message, system_prompt, llm, voice, transcriber, call, analytics, tools } = agent;
  const { mcp_servers, knowledge_base_ids, knowledge_mode, webhook_url, avatar } = agent;
  const status = agent.status === 'frozen' ? (agent.frozen_from === 'paused' ? 'paused' : 'active') : agent.status;
  return {
    ...{ name, welcome_message, system_prompt, llm, voice, transcriber, call, analytics, tools },
    ...{ mcp_servers, knowledge_base_ids, knowledge_mode, webhook_url, status, avatar },
  };
}

/** Returns the request of a draft: lines that are still empty are left out. */
export function requestOf(draft: Draft): Draft {
  const keyterms = draft.transcriber.keyterms.map((each) => each.trim()).filter((each) => each !== '');
  const filler_phrases = draft.call.filler_phrases.map((each) => each.trim()).filter((each) => each !== '');
  const mcp_servers = draft.mcp_servers.map((server) => ({
    ...server,
    headers: Object.fromEntries(Object.entries(server.headers).filter(([name]) => name.trim() !== '')),
    tools: server.tools.map((each) => each.trim()).filter((each) => each !== ''),
  }));
  return {
    ...draft,
    mcp_servers,
    call: { ...draft.call, filler_phrases },
    transcriber: { ...draft.transcriber, keyterms },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `call.record`. */
export function valueAt(draft: Draft, path: string): unknown {
  let at: unknown = draft;
  for (const name of path.split('.')) at = isObject(at) ? at[name] : undefined;
  return at;
}

/** The draft with another value at the path, of one or two names. */
export function withValue(draft: Draft, path: string, value: unknown): Draft {
  const [section, name] = path.split('.') as [keyof Draft, string | undefined];
  if (name === undefined) return { ...draft, [section]: value };
  return { ...draft, [section]: { ...(draft[section] as object), [name]: value } };
}

/** Paths of the fields that differ, such as `voice.speed`; a list counts as one field. */
export function changedPaths(before: Draft, after: Draft): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((section) => {
    const [a, b] = [valueAt(before, section), valueAt(after, section)];
    if (!isObject(a) || !isObject(b)) return isSame(a, b) ? [] : [section];
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.filter((name) => !isSame(a[name], b[name])).map((name) => `${section}.${name}`);
  });
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** With the names of objects in order, so that the same contents are written alike. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}

/** What two people changed of the same agent. */
export interface Conflict {
  /** Changed by the other person since the page was opened. */
  theirs: string[];
  mine: string[];
  /** Changed by both, to different values. */
  both: string[];
}

export function conflictOf(base: Draft, mine: Draft, theirs: Draft): Conflict {
  const changed = { theirs: changedPaths(base, theirs), mine: changedPaths(base, mine) };
  const differ = new Set(changedPaths(mine, theirs));
  return { ...changed, both: changed.mine.filter((path) => changed.theirs.includes(path) && differ.has(path)) };
}

/** The other person's configuration with my changes upon it; where both changed a field, mine stays. */
export const merged = (base: Draft, mine: Draft, theirs: Draft): Draft =>
  changedPaths(base, mine).reduce((draft, path) => withValue(draft, path, valueAt(mine, path)), theirs);
