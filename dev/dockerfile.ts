/**
 * Reads the part of the Dockerfile format that our images use (https://docs.docker.com/reference/dockerfile/): instructions, lines that a
 * backslash continues, comments, `ARG` and `ENV` with the variables in what follows them. Anything else is an error, so that no line of
 * an image is passed over.
 */

export interface DockerfileStage {
  /** Of the image that it begins with, or of an earlier stage. */
  from: string;
  /** After `AS`; without it the number of the stage. */
  name: string;
  steps: Step[];
}

export type Step =
  | { kind: 'RUN'; command: string; line: string }
  | { kind: 'COPY'; from: string | null; sources: string[]; target: string; line: string }
  | { kind: 'WORKDIR' | 'USER'; value: string; line: string }
  | { kind: 'ENV' | 'ARG'; values: Record<string, string>; line: string }
  | { kind: 'VOLUME'; folders: string[]; line: string }
  | { kind: 'EXPOSE'; ports: string[]; line: string }
  | { kind: 'HEALTHCHECK' | 'CMD'; command: string[]; line: string };

/** @throws SyntaxError at an instruction, or a form of one, that is not known here. */
export function readDockerfile(text: string): DockerfileStage[] {
  const stages: DockerfileStage[] = [];
  for (const line of logicalLines(text)) {
    const [, word, rest] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    if (word === 'FROM') {
      const [, from, name] = /^(\S+)(?: AS (\S+))?$/.exec(rest!) ?? [];
      if (!from) throw new SyntaxError(`not known: ${line}`);
      stages.push({ from, name: name ?? String(stages.length), steps: [] });
    } else {
      const step = word ? readStep(word, rest!, line) : null;
      if (!step || stages.length === 0) throw new SyntaxError(`not known: ${line}`);
      stages.at(-1)!.steps.push(step);
    }
  }
  return stages;
}

function readStep(word: string, rest: string, line: string): Step | null {
  switch (word) {
    case 'RUN':
      return rest.startsWith('[') || rest.startsWith('--') ? null : { kind: word, command: rest, line };
    case 'COPY': {
      const words = rest.split(/\s+/);
      const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : null;
      if (words.length < 2 || words.some((each) => each.startsWith('--') || /[*?[]/.test(each))) return null;
      return { kind: word, from, sources: words.slice(0, -1), target: words.at(-1)!, line };
    }
    case 'WORKDIR':
    case 'USER':
      return { kind: word, value: rest, line };
    case 'ENV':
    case 'ARG': {
      const pairs = rest.split(/\s+/).map((pair) => /^(\w+)(?:=(.*))?$/.exec(pair));
      if (pairs.some((pair) => !pair || (word === 'ENV' && pair[2] === undefined))) return null;
      return { kind: word, values: Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2] ?? ''])), line };
    }
    case 'VOLUME':
      return { kind: word, folders: rest.split(/\s+/), line };
    case 'EXPOSE':
      return { kind: word, ports: rest.split(/\s+/), line };
    case 'HEALTHCHECK': {
      const command = /^(?:--\S+\s+)*CMD\s+(\[.*\])$/s.exec(rest)?.[1];
      return command ? { kind: word, command: JSON.parse(command) as string[], line } : null;
    }
    case 'CMD':
      return rest.startsWith('[') ? { kind: word, command: JSON.parse(rest) as string[], line } : null;
    default:
      return null;
  }
}

/** Comments go before lines are joined: one may stand between two lines of an instruction. */
function logicalLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Whether a path of the context is sent to the builder: the last line of `.dockerignore` that names it, or a folder above it, decides. */
export function isInContext(dockerignore: string, path: string): boolean {
  let included = true;
  for (const line of logicalLines(dockerignore)) {
    const pattern = line.replace(/^!/, '');
    if (pattern === '*' || path === pattern || path.startsWith(`${pattern}/`)) included = line.startsWith('!');
  }
  return included;
}
