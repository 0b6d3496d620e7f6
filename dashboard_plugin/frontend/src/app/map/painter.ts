import { Palette } from '../charts/palette';
import { Box, Layout, Place, eachPlace } from './layout';
import { NO_DATA, Painted, SLOW } from './layers';
import { MapData } from './map-data';

export interface Picture {
  readonly layout: Layout;
  readonly data: MapData;
  readonly painted: Painted;
  readonly colours: Palette;
  readonly names: (name: string) => string;
  /** An OSD's figure on this layer; empty where it has none. */
  readonly values: (row: number) => string;
  /** Only OSDs of this class stand out; null: all. */
  readonly only: number | null;
}

export interface View {
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Device pixels a CSS pixel. */
  readonly ratio: number;
}

const NUMBERED = 28;
/** From here on a cell has room for the OSD's name and its value. */
export const VALUED = 56;
const MARK = 14;
const FAINT = 0.18;

/** Draw what the view shows of the map. */
export function draw(context: CanvasRenderingContext2D, picture: Picture, view: View): void {
  begin(context, view);
  const seen = (box: Box): boolean =>
    box.y < view.top + view.height && box.y + box.height > view.top;
  titles(context, picture, seen);
  const special = cells(context, picture, seen);
  const { data, painted, layout } = picture;
  for (const place of special) {
    const found = painted.classes[place.row] ?? NO_DATA;
    context.globalAlpha = shown(picture, found) ? 1 : FAINT;
    if (found === NO_DATA) hollow(context, picture, place);
    if (data.up[place.row] === false) cross(context, picture, place);
    else if (painted.marks[place.row]) mark(context, picture, place);
    if (layout.cell >= VALUED) words(context, picture, place);
    else if (layout.cell >= NUMBERED) label(context, picture, place);
  }
  context.globalAlpha = 1;
}

/** The coloured cells; answers the places that need more than that. */
function cells(
  context: CanvasRenderingContext2D,
  picture: Picture,
  seen: (box: Box) => boolean,
): readonly Place[] {
  const { data, painted, layout } = picture;
  const { cell } = layout;
  const special: Place[] = [];
  // Neighbours are mostly alike, and setting a style costs more than filling a cell with it.
  let current = NO_DATA;
  eachPlace(layout, seen, (row, x, y) => {
    const found = painted.classes[row] ?? NO_DATA;
    if (found !== NO_DATA) {
      if (found !== current) {
        context.fillStyle = painted.colours[found] ?? '';
        context.globalAlpha = shown(picture, found) ? 1 : FAINT;
        current = found;
      }
      context.fillRect(x, y, cell, cell);
    }
    if (found === NO_DATA || painted.marks[row] || data.up[row] === false || cell >= NUMBERED) {
      special.push({ row, x, y });
    }
  });
  return special;
}

function shown({ only }: Picture, found: number): boolean {
  return only === null || only === found;
}

/** Frames around OSDs, on a canvas of their own: moving one draws nothing else. */
export function drawCursor(
  context: CanvasRenderingContext2D,
  cell: number,
  place: Place | null,
  marked: readonly Place[],
  colours: Palette,
  view: View,
): void {
  begin(context, view);
  context.lineWidth = 3;
  context.strokeStyle = colours.third;
  for (const { x, y } of marked) context.strokeRect(x - 1.5, y - 1.5, cell + 3, cell + 3);
  if (!place) return;
  context.lineWidth = 2;
  context.strokeStyle = colours.text;
  context.strokeRect(place.x - 1, place.y - 1, cell + 2, cell + 2);
}

function begin(context: CanvasRenderingContext2D, view: View): void {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, view.width * view.ratio, view.height * view.ratio);
  context.setTransform(view.ratio, 0, 0, view.ratio, 0, -view.top * view.ratio);
}

function titles(
  context: CanvasRenderingContext2D,
  picture: Picture,
  seen: (box: Box) => boolean,
): void {
  context.font = `11px ${picture.colours.font}`;
  context.textBaseline = 'top';
  context.fillStyle = picture.colours.quiet;
  for (const box of picture.layout.boxes) {
    if (!seen(box)) continue;
    const name = picture.names(box.group.name);
    context.fillText(shortened(context, name, box.width), box.x, box.y + 2);
  }
}

function shortened(context: CanvasRenderingContext2D, name: string, width: number): string {
  if (context.measureText(name).width <= width) return name;
  let text = name;
  while (text.length > 1 && context.measureText(`…${text}`).width > width) text = text.slice(1);
  // The end of a host's name tells it from its neighbours.
  return `…${text}`;
}

/** No data is no colour: an outline. */
function hollow(context: CanvasRenderingContext2D, picture: Picture, { x, y }: Place): void {
  const { cell } = picture.layout;
  context.lineWidth = 1;
  context.strokeStyle = picture.colours.quiet;
  context.globalAlpha *= 0.6;
  context.strokeRect(x + 0.5, y + 0.5, cell - 1, cell - 1);
}

/**
 * A slow OSD carries a dark triangle with a light rim, one that may be slow a ring: seen on every
 * colour, and without any.
 */
function mark(context: CanvasRenderingContext2D, picture: Picture, place: Place): void {
  const { row, y } = place;
  let { x } = place;
  const { cell: whole } = picture.layout;
  // In a large cell it stands in the corner, beside the value.
  const corner = whole >= VALUED;
  const cell = corner ? MARK + 8 : whole;
  if (corner) x += whole - cell;
  const [side, inset] = cell < 8 ? [cell, 0] : [cell * 0.6, cell * 0.2];
  context.beginPath();
  if (picture.painted.marks[row] === SLOW) {
    context.moveTo(x + inset, y + inset);
    context.lineTo(x + inset + side, y + inset);
    context.lineTo(x + inset + side / 2, y + inset + side);
    context.closePath();
    context.fillStyle = '#000000';
    context.fill();
  } else {
    context.arc(x + cell / 2, y + cell / 2, side / 2.5, 0, 2 * Math.PI);
    context.lineWidth = 3;
    context.strokeStyle = '#000000';
    context.stroke();
  }
  context.lineWidth = 1;
  context.strokeStyle = '#ffffff';
  context.stroke();
}

function cross(context: CanvasRenderingContext2D, picture: Picture, { x, y }: Place): void {
  const { cell } = picture.layout;
  context.globalAlpha = 1;
  context.lineWidth = cell < 8 ? 1 : 2;
  context.strokeStyle = picture.colours.text;
  context.beginPath();
  context.moveTo(x + 1, y + 1);
  context.lineTo(x + cell - 1, y + cell - 1);
  context.moveTo(x + cell - 1, y + 1);
  context.lineTo(x + 1, y + cell - 1);
  context.stroke();
}

/** The OSD's name and its value; dark on light colours, light on dark ones. */
function words(context: CanvasRenderingContext2D, picture: Picture, { row, x, y }: Place): void {
  const { data, layout, painted, colours, values } = picture;
  const fill = painted.colours[painted.classes[row] ?? NO_DATA];
  context.fillStyle = fill ? inkOn(fill) : colours.text;
  context.textBaseline = 'top';
  context.font = `12px ${colours.font}`;
  context.fillText(`osd.${data.osd[row] ?? ''}`, x + 5, y + 5, layout.cell - MARK - 14);
  const size = Math.min(18, Math.round(layout.cell / 4.5));
  context.textBaseline = 'bottom';
  context.font = `600 ${size}px ${colours.font}`;
  context.fillText(values(row), x + 5, y + layout.cell - 5, layout.cell - 10);
}

/** Black or white, whichever is read better on this colour (WCAG's relative luminance). */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const part = Number.parseInt(colour.slice(from, from + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

function label(context: CanvasRenderingContext2D, picture: Picture, { row, x, y }: Place): void {
  const { cell } = picture.layout;
  const text = String(picture.data.osd[row] ?? '');
  context.font = `9px ${picture.colours.font}`;
  context.textBaseline = 'bottom';
  const width = Math.min(cell, context.measureText(text).width + 4);
  context.fillStyle = picture.colours.surface;
  context.fillRect(x + cell - width, y + cell - 11, width, 11);
  context.fillStyle = picture.colours.text;
  context.fillText(text, x + cell - width + 2, y + cell, cell);
}
