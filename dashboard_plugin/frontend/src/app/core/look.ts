/** How the host page looks, as its entry script read it; see entry/host.js. */
export interface Look {
  readonly font: string;
  /** As "14px". */
  readonly size: string;
  readonly text: string;
  readonly ground: string;
  readonly accent: string;
  readonly link: string;
}

/** What can be read against what it stands on (WCAG 2.1 AA); plain text gets a little more. */
const READABLE = 4.5;
const SIZES = { least: 12, most: 18 };

type Rgb = readonly [number, number, number];

/** The host's look from its attribute; null where there is none, or nonsense. */
export function parseLook(text: string | null): Look | null {
  try {
    const given = JSON.parse(text ?? 'null') as Record<string, unknown> | null;
    if (given === null || typeof given !== 'object') return null;
    const word = (key: string): string => (typeof given[key] === 'string' ? given[key] : '');
    const look = { font: word('font'), size: word('size'), text: word('text') };
    return { ...look, ground: word('ground'), accent: word('accent'), link: word('link') };
  } catch {
    return null;
  }
}

export function isDark({ ground }: Look): boolean {
  const colour = rgb(ground);
  return colour !== null && luminance(colour) < 0.18;
}

/**
 * The tab's own variables in the host's look. A colour that could not be read on the tab's surface is
 * moved towards black (or white) until it can, and one that is no colour is left to the tab.
 */
export function variables(look: Look | null, dark: boolean): Readonly<Record<string, string>> {
  if (look === null) return {};
  const size = Number.parseFloat(look.size);
  const ground = rgb(look.ground);
  const surface: Rgb = dark ? [28, 35, 41] : [255, 255, 255];
  const under = ground && isDark(look) === dark ? [surface, ground] : [surface];
  const found: Record<string, string | null> = {
    '--font': /^[\w\s"',.-]+$/.test(look.font) ? look.font : null,
    '--size': size >= 1 ? `${Math.min(SIZES.most, Math.max(SIZES.least, size))}px` : null,
    '--text': readable(rgb(look.text), under, dark),
    '--link': readable(rgb(look.link), under, dark),
    '--ground': under.length > 1 && ground ? css(ground) : null,
    // White stands on it, in both themes.
    '--main': readable(rgb(look.accent), [[255, 255, 255]], false),
  };
  if (found['--main']) found['--on-main'] = '#ffffff';
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** The colour, or the nearest one on the way to black (on dark to white) that can be read. */
function readable(colour: Rgb | null, on: readonly Rgb[], dark: boolean): string | null {
  if (colour === null) return null;
  const end = dark ? 255 : 0;
  for (let part = 0; part < 20; part += 1) {
    const tried = colour.map((one) => one + ((end - one) * part) / 20) as unknown as Rgb;
    if (on.every((under) => contrast(tried, under) >= READABLE)) return css(tried);
  }
  return null;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [light, deep] = [luminance(a), luminance(b)].sort((one, two) => two - one);
  return ((light ?? 0) + 0.05) / ((deep ?? 0) + 0.05);
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** As browsers compute colours: "rgb(1, 2, 3)"; null for one that is see-through. */
export function rgb(text: string): Rgb | null {
  const [, red, green, blue, alpha] =
    /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined || alpha === '0') return null;
  return [Number(red), Number(green), Number(blue)];
}

function css(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
