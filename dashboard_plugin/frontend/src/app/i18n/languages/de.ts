import { de, deEvidence } from '../de';
import { deOptions } from '../de-options';
import { deSaid } from '../de-said';
import { deSaidAdmission } from '../de-said-admission';
import { deSaidAlerts } from '../de-said-alerts';
import { deSaidCoverage } from '../de-said-coverage';
import { deSaidDoctor } from '../de-said-doctor';
import { deSaidHardware } from '../de-said-hardware';
import { deSaidRounds } from '../de-said-rounds';
import { Sentence } from '../../../generated/types';
import { Translation } from '../i18n';

/** Every sentence of the module: a missing one is an error of types. */
const said: Readonly<Record<Sentence, string>> = {
  ...deSaidAdmission,
  ...deSaidAlerts,
  ...deSaidCoverage,
  ...deSaidDoctor,
  ...deSaidHardware,
  ...deSaidRounds,
};

const german: Translation = {
  sentences: de,
  words: { ...deEvidence, ...deOptions },
  said: { ...deSaid, ...said },
};
export default german;
