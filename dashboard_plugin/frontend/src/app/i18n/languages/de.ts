import { de, deEvidence } from '../de';
import { deOptions } from '../de-options';
import { deSaid } from '../de-said';
import { Translation } from '../i18n';

const german: Translation = {
  sentences: de,
  words: { ...deEvidence, ...deOptions },
  said: deSaid,
};
export default german;
