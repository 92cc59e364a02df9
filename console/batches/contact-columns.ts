/** What the columns of a file of contacts are for. The API reads the file; this is what the page says of it before and after. */

/** As the API names a column's values in `user_data`. */
export const keyOf = (column: string): string => column.trim().toLowerCase().replace(/\s+/g, '_');

export interface ColumnUse {
  column: string;
  use: 'number' | 'variable' | 'extra';
  /** The name of its value in `user_data`; empty for the number. */
  key: string;
}

/** Returns what each column is for: the number, a variable of the agent, or a value that only stays with the call. */
export function columnUses(columns: readonly string[], phoneColumn: string, variables: readonly string[]): ColumnUse[] {
  const used = new Set<string>();
  return columns.map((column): ColumnUse => {
    if (column === phoneColumn) return { column, use: 'number', key: '' };
    const plain = keyOf(column);
    let key = plain;
    for (let count = 2; used.has(key); count++) key = `${plain}_${count}`;
    used.add(key);
    return { column, use: variables.includes(key) ? 'variable' : 'extra', key };
  });
}

/** Variables of the agent that no column fills; the agent says nothing in their place. */
export function missingVariables(uses: readonly ColumnUse[], variables: readonly string[]): string[] {
  const filled = new Set(uses.map(({ key }) => key));
  return variables.filter((name) => !filled.has(name));
}

const SEPARATORS = [',', ';', '\t'] as const;

/** Reads the names of the columns from the beginning of a CSV file, so that one can be chosen before the API reads the file. */
export function headerOf(text: string): string[] {
  const plain = text
    .replace(/^\ufeff/, '')
    .replace(/^"?sep=[,;\t]"?\r?\n/i, '')
    .replace(/^[\r\n\s]+/, '');
  const separator = SEPARATORS.toSorted((a, b) => countIn(firstRow(plain), b) - countIn(firstRow(plain), a))[0]!;
  const cells = cellsOf(firstRow(plain), separator).map((cell) => cell.trim());
  while (cells.at(-1) === '') cells.pop();
  return cells.map((name, at) => name || `column ${at + 1}`);
}

/** Without what stands within quotes. */
const countIn = (row: string, sign: string): number => row.replace(/"[^"]*"/g, '').split(sign).length - 1;

function firstRow(text: string): string {
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted;
    else if (!quoted && (text[at] === '\n' || text[at] === '\r')) return text.slice(0, at);
  }
  return text;
}

function cellsOf(row: string, separator: string): string[] {
  const cells = [''];
  let quoted = false;
  for (let at = 0; at < row.length; at++) {
    const sign = row[at]!;
    if (sign === '"' && quoted && row[at + 1] === '"') {
      cells[cells.length - 1] += sign;
      at += 1;
    } else if (sign === '"' && (quoted || cells.at(-1) === '')) quoted = !quoted;
    else if (sign === separator && !quoted) cells.push('');
    else cells[cells.length - 1] += sign;
  }
  return cells;
}
