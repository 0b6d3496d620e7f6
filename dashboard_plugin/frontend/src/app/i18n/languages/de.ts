import { deConditions } from '../de-conditions';
import { de, deEnvironment, deEvidence } from '../de';
import { deKinds } from '../de-kinds';
import { deOptions } from '../de-options';
import { deSaidAdmission } from '../de-said-admission';
import { deSaidAlerts } from '../de-said-alerts';
import { deSaidCompare } from '../de-said-compare';
import { deSaidCoverage } from '../de-said-coverage';
import { deSaidDoctor } from '../de-said-doctor';
import { deSaidHardware } from '../de-said-hardware';
import { deSaidOsd } from '../de-said-osd';
import { deSaidPlan } from '../de-said-plan';
import { deSaidRefusedAsked } from '../de-said-refused-asked';
import { deSaidRefusedPlan } from '../de-said-refused-plan';
import { deSaidRefusedSchedule } from '../de-said-refused-schedule';
import { deSaidRefusedStore } from '../de-said-refused-store';
import { deSaidRounds } from '../de-said-rounds';
import { deSaidSlow } from '../de-said-slow';
import { deSaidStore } from '../de-said-store';
import { deSaidUnmeasured } from '../de-said-unmeasured';
import { deSaidWhy } from '../de-said-why';
import { deSteps } from '../de-steps';
import { Sentence } from '../../../generated/types';
import { Translation } from '../i18n';

/** Every sentence of the module: a missing one is an error of types. */
const said: Readonly<Record<Sentence, string>> = {
  ...deSaidAdmission,
  ...deSaidAlerts,
  ...deSaidCompare,
  ...deSaidCoverage,
  ...deSaidDoctor,
  ...deSaidHardware,
  ...deSaidOsd,
  ...deSaidPlan,
  ...deSaidRefusedAsked,
  ...deSaidRefusedPlan,
  ...deSaidRefusedSchedule,
  ...deSaidRefusedStore,
  ...deSaidRounds,
  ...deSaidSlow,
  ...deSaidStore,
  ...deSaidUnmeasured,
  ...deSaidWhy,
};

const german: Translation = {
  sentences: de,
  words: { ...deConditions, ...deEnvironment, ...deEvidence, ...deKinds, ...deOptions, ...deSteps },
  said,
};
export default german;
