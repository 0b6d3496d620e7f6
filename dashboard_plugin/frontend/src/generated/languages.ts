/* Written by tools/languages.mjs from the files in app/i18n/languages: add one there. */
import type { Translation } from '../app/i18n/i18n';

export const LANGUAGES: Readonly<Record<string, () => Promise<Translation>>> = {
  de: async () => (await import('../app/i18n/languages/de')).default,
};
