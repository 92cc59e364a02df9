/** Lines of a table: columns as wide as their longest cell, the last one as it is. */
export function tableOf(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(textOf))];
  const widths = head.map((_name, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  return String(value).replace(/\s+/g, ' ');
}

/** `1234` paise → `12.34 INR` */
export const moneyOf = (paise: number, currency: string) => `${(paise / 100).toFixed(2)} ${currency}`;
