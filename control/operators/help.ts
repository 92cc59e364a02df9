import type { Command, CommandGroup } from './command.ts';

/** What the command line says of itself. `program` is what the user types before a command, such as `./operator`. */

const WIDTH = 120;
const COMMAND_WIDTH = 40;

/** Lists every command in one or two lines, by group. */
export function overview(program: string, groups: readonly CommandGroup[]): string {
  const sections = groups.map(({ title, commands }) => [title, ...commands.flatMap(summaryLines), ''].join('\n'));
  return `The operator's command line. Every change is written to the audit trail.

  ${program} COMMAND            the result as text or a table
  ${program} COMMAND --json     the same as one line of JSON, for scripts
  ${program} COMMAND --help     what the command takes, with an example; \`number --help\`: of all that begin so

${sections.join('\n')}
Amounts are given in the smallest unit of money (paise, cents). Exit code 0: done; 1: not done; 2: called wrongly.
`;
}

/** Shows commands with everything they take, and an example of each. */
export function details(program: string, commands: readonly Command[]): string {
  const each = commands.map((command) =>
    [
      ...wrapText(usageOf(command), '', '    '),
      ...wrapText(command.description, '    ', '    '),
      `    example: ${program} ${command.example}`,
      '',
    ].join('\n'),
  );
  return each.join('\n');
}

export const usageOf = ({ name, usage }: Command): string => `${name} ${usage}`.trim();

function summaryLines(command: Command): string[] {
  // Without what may be left out: `--help` of the command has it.
  const usage = `  ${usageOf(command).replace(/ (\||\[(?!\w+\])).*$/, ' …')}`;
  const margin = ' '.repeat(COMMAND_WIDTH);
  const lines = wrapText(command.description, margin, margin);
  if (usage.length > COMMAND_WIDTH - 2) return [usage, ...lines];
  return [usage.padEnd(COMMAND_WIDTH) + lines[0]!.slice(COMMAND_WIDTH), ...lines.slice(1)];
}

function wrapText(text: string, first: string, next: string): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length >= WIDTH) {
      lines.push(line.trimEnd());
      line = next;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
