import { signal } from '@angular/core';

/** Canvases know neither CSS variables nor 'inherit': the host's font is set here (frame). */
export const CANVAS_FONT = 'system-ui, sans-serif';
export const canvasFont = signal(CANVAS_FONT);

/** Colours that stay apart for colour-blind eyes (Okabe and Ito), for canvases that know no CSS. */
export interface Palette {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly surface: string;
  readonly first: string;
  readonly second: string;
  readonly third: string;
  readonly slow: string;
  readonly font: string;
}

const LIGHT: Omit<Palette, 'font'> = {
  text: '#1f2933',
  quiet: '#57626d',
  line: '#d5dbe1',
  surface: '#ffffff',
  first: '#0072b2',
  second: '#009e73',
  third: '#cc79a7',
  slow: '#d55e00',
};

const DARK: Omit<Palette, 'font'> = {
  text: '#e4e8ec',
  quiet: '#a5b0bb',
  line: '#3a444e',
  surface: '#1c2329',
  first: '#56b4e9',
  second: '#2fc79a',
  third: '#e39fc6',
  slow: '#f0803c',
};

export function palette(dark: boolean): Palette {
  return { ...(dark ? DARK : LIGHT), font: canvasFont() };
}
