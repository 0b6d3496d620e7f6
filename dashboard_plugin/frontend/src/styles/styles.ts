import base from './base.css' with { loader: 'text' };
import controls from './controls.css' with { loader: 'text' };
import frame from './frame.css' with { loader: 'text' };
import hardware from './hardware.css' with { loader: 'text' };
import map from './map.css' with { loader: 'text' };
import navigation from './navigation.css' with { loader: 'text' };
import table from './table.css' with { loader: 'text' };
import trust from './trust.css' with { loader: 'text' };
import watch from './watch.css' with { loader: 'text' };

let sheets: readonly CSSStyleSheet[] | null = null;

/**
 * Give a shadow root the tab's styles. Constructed sheets are made once for all elements, and a
 * strict `style-src 'self'` lets them pass, which it does not do for <style>.
 */
export function adoptStyles(root: ShadowRoot): void {
  sheets ??= [base, frame, controls, table, map, trust, watch, hardware, navigation].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  root.adoptedStyleSheets = [...sheets];
}
