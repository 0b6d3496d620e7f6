import { ClusterStrip } from '../../generated/types';

export type StripRow = ClusterStrip['rows'][number];

const WORST = 5;

/** How much a row stood out: its levels added up. */
export function loudness({ cells }: StripRow): number {
  return Array.from(cells, (cell) => Number(cell) || 0).reduce((sum, level) => sum + level, 0);
}

/** The rows that stood out most, worst first. */
export function worstRows(strip: ClusterStrip): readonly StripRow[] {
  return strip.rows
    .filter((row) => loudness(row) > 0)
    .sort((a, b) => loudness(b) - loudness(a))
    .slice(0, WORST);
}

/** Begin and end of a column in unix seconds. */
export function columnTime(strip: ClusterStrip, column: number): readonly [number, number] {
  const begin = Date.parse(strip.from) / 1000 + column * strip.column_seconds;
  return [begin, begin + strip.column_seconds];
}

/** The column that begins then; null where it is not among them any more. */
export function columnAt(strip: ClusterStrip, begin: number): number | null {
  const column = Math.floor((begin - columnTime(strip, 0)[0]) / strip.column_seconds);
  return column >= 0 && column < (strip.rows[0]?.cells.length ?? 0) ? column : null;
}

export interface Picture {
  readonly strip: ClusterStrip;
  readonly width: number;
  readonly height: number;
  readonly column: number | null;
  readonly colours: Readonly<Record<string, string>>;
  readonly cursor: string;
}

/** A cell of each row and column; a frame around the chosen column. */
export function drawStrip(context: CanvasRenderingContext2D, picture: Picture): void {
  const { strip, width, height, column } = picture;
  context.clearRect(0, 0, width, height);
  const wide = width / Math.max(1, strip.rows[0]?.cells.length ?? 0);
  const high = height / Math.max(1, strip.rows.length);
  const seam = high >= 6 ? 1 : 0;
  drawCells(context, picture, /./, { wide, high, size: Math.max(1, high - seam) });
  // What stood out again, so high that it is seen: rows may be lower than a pixel.
  if (high < 2) drawCells(context, picture, /[1-3]/, { wide, high, size: 2 });
  if (column === null) return;
  context.strokeStyle = picture.cursor;
  context.lineWidth = 2;
  context.strokeRect(column * wide, 1, wide, height - 2);
}

function drawCells(
  context: CanvasRenderingContext2D,
  { strip, colours }: Picture,
  shown: RegExp,
  { wide, high, size }: Readonly<Record<'wide' | 'high' | 'size', number>>,
): void {
  for (const [row, { cells }] of strip.rows.entries()) {
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at] ?? '-';
      if (!shown.test(cell)) continue;
      context.fillStyle = colours[cell] ?? '';
      context.fillRect(at * wide, row * high, Math.max(1, wide - 1), size);
    }
  }
}
