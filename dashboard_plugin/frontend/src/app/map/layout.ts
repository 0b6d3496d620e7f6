import { Group } from './grouping';

/** A group's place: its title on top, below it strips in columns. Pixels. */
export interface Box {
  readonly group: Group;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Strips one below the other, before the next column begins. */
  readonly down: number;
  /** Width of such a column, its gap included. */
  readonly column: number;
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly cell: number;
  readonly pitch: number;
  readonly height: number;
}

export const TITLE = 16;
const MARGIN = 10;
const COLUMN_GAP = 6;
const NARROWEST = 62;
/** Sides of a cell to zoom through. */
export const SIZES: readonly number[] = [
  4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 56, 80, 112,
];

/** Boxes from left to right, line after line, within `width`. */
export function layOut(groups: readonly Group[], cell: number, width: number): Layout {
  const pitch = cell + (cell > 6 ? 2 : 1);
  const boxes: Box[] = [];
  // Not measured yet: cut into single OSDs, it would be laid out for nothing.
  if (width <= 0) return { boxes, cell, pitch, height: 0 };
  let [x, y, line] = [0, 0, 0];
  const most = Math.max(1, Math.floor(width / pitch));
  for (const group of groups.map((one) => narrowed(one, most))) {
    const size = measure(group, pitch, width);
    if (x > 0 && x + size.width > width) [x, y, line] = [0, y + line + MARGIN, 0];
    boxes.push({ group, x, y, ...size });
    x += size.width + MARGIN;
    line = Math.max(line, size.height);
  }
  return { boxes, cell, pitch, height: y + line };
}

/** The largest cell with which everything fits into the view; the smallest when none does. */
export function fittingSize(groups: readonly Group[], width: number, height: number): number {
  // Up to the first that does not fit: laying out 10,000 OSDs in all sizes took 15 ms of a frame.
  const over = SIZES.findIndex((cell) => layOut(groups, cell, width).height > height);
  return SIZES[over < 0 ? SIZES.length - 1 : Math.max(0, over - 1)] ?? 4;
}

/** No strip is wider than the view: what is too long goes on in the next line. */
function narrowed(group: Group, most: number): Group {
  if (group.strips.every((strip) => strip.length <= most)) return group;
  return { ...group, strips: group.strips.flatMap((strip) => cut(strip, most)) };
}

function cut<T>(list: readonly T[], length: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / length);
  return Array.from({ length: count }, (_, part) => list.slice(part * length, (part + 1) * length));
}

type BoxSize = Pick<Box, 'width' | 'height' | 'down' | 'column'>;

function measure(group: Group, pitch: number, most: number): BoxSize {
  const longest = Math.max(1, ...group.strips.map((strip) => strip.length));
  const column = longest * pitch + COLUMN_GAP;
  const fitting = Math.max(1, Math.floor((most + COLUMN_GAP) / column));
  const even = Math.round(Math.sqrt((group.strips.length * 1.6) / longest));
  const columns = Math.max(1, Math.min(even, fitting, group.strips.length));
  const down = Math.ceil(group.strips.length / columns);
  const width = Math.max(NARROWEST, columns * column - COLUMN_GAP);
  return { width, height: TITLE + down * pitch, down, column };
}

export interface Place {
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

/** The OSD at a point of the map; null beside all. */
export function hit(layout: Layout, x: number, y: number): Place | null {
  const box = layout.boxes.find(
    (one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height,
  );
  if (!box) return null;
  const column = Math.floor((x - box.x) / box.column);
  const down = Math.floor((y - box.y - TITLE) / layout.pitch);
  const along = Math.floor((x - box.x - column * box.column) / layout.pitch);
  if (down < 0 || down >= box.down) return null;
  const row = box.group.strips[column * box.down + down]?.[along];
  if (row === undefined) return null;
  return placed(layout, box, column * box.down + down, along, row);
}

/**
 * Every OSD with its place, box by box, in reading order; of the boxes that `of` chooses. A callback
 * and plain numbers: with an object each, 10,000 OSDs took 40 ms of a frame instead of 2.
 */
export function eachPlace(
  layout: Layout,
  of: (box: Box) => boolean,
  visit: (row: number, x: number, y: number) => void,
): void {
  for (const box of layout.boxes) {
    if (!of(box)) continue;
    for (let index = 0; index < box.group.strips.length; index += 1) {
      const strip = box.group.strips[index] ?? [];
      const { x, y } = corner(layout, box, index, 0);
      for (let along = 0; along < strip.length; along += 1) {
        visit(strip[along] ?? 0, x + along * layout.pitch, y);
      }
    }
  }
}

/** The first OSD of the map; null when it is empty. */
export function firstPlace(layout: Layout): Place | null {
  const [box] = layout.boxes;
  const row = box?.group.strips[0]?.[0];
  return box && row !== undefined ? placed(layout, box, 0, 0, row) : null;
}

export function placeOf(layout: Layout, row: number): Place | null {
  for (const box of layout.boxes) {
    for (let index = 0; index < box.group.strips.length; index += 1) {
      const along = box.group.strips[index]?.indexOf(row) ?? -1;
      if (along >= 0) return placed(layout, box, index, along, row);
    }
  }
  return null;
}

function placed(layout: Layout, box: Box, strip: number, along: number, row: number): Place {
  const { x, y } = corner(layout, box, strip, along);
  return { row, x, y };
}

function corner(
  { pitch }: Layout,
  box: Box,
  strip: number,
  along: number,
): { x: number; y: number } {
  return {
    x: box.x + Math.floor(strip / box.down) * box.column + along * pitch,
    y: box.y + TITLE + (strip % box.down) * pitch,
  };
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The next OSD that way, across gaps between boxes; null at the edge. */
export function neighbour(layout: Layout, from: Place, direction: Direction): Place | null {
  const step = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[direction];
  const [dx = 0, dy = 0] = step.map((one) => one * layout.pitch);
  const half = layout.cell / 2;
  let [x, y] = [from.x + half + dx, from.y + half + dy];
  const right = Math.max(...layout.boxes.map((box) => box.x + box.width));
  while (x >= 0 && y >= 0 && x <= right && y <= layout.height) {
    const found = hit(layout, x, y);
    if (found && found.row !== from.row) return found;
    [x, y] = [x + dx, y + dy];
  }
  return null;
}
