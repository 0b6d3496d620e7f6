/** Tables as files. */

export type Cell = string | number | boolean | null;

export interface ExportColumn<T> {
  readonly key: string;
  readonly value: (row: T) => Cell;
}

/** CSV by RFC 4180, first row the keys; "no data" is an empty field. */
export function csv<T>(columns: readonly ExportColumn<T>[], rows: readonly T[]): string {
  const lines = [columns.map((column) => column.key), ...rows.map((row) => values(columns, row))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

/** A JSON array with an object a row. */
export function json<T>(columns: readonly ExportColumn<T>[], rows: readonly T[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.key, column.value(row)])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
};

/** Hand a file to the user, of the type that its name ends with. */
export function download(name: string, text: string): void {
  const link = document.createElement('a');
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The browser has taken the address over by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

function values<T>(columns: readonly ExportColumn<T>[], row: T): Cell[] {
  return columns.map((column) => column.value(row));
}

function field(value: Cell): string {
  const text = value === null ? '' : String(value);
  // A spreadsheet would run text that begins like a formula; figures may begin with a minus.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
