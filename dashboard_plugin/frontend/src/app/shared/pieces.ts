import { AnswerComponent } from './answer.component';
import { CommandComponent } from './command.component';
import { ConfirmComponent } from './confirm.component';
import { CellDirective } from './data-table/cell.directive';
import { DataTableComponent } from './data-table/data-table.component';
import { ListComponent } from './data-table/list.component';
import { FactsComponent } from './facts.component';
import { LinkDirective } from './link.directive';
import { RefusalComponent } from './refusal.component';
import { StateBadgeComponent } from './state-badge.component';
import { TargetComponent } from './target.component';
import { TenantsComponent } from './tenants.component';
import { TimeComponent } from './time.component';

/** What most pages are built of, for the imports of their components. */
export const PIECES = [
  AnswerComponent,
  CellDirective,
  CommandComponent,
  ConfirmComponent,
  DataTableComponent,
  FactsComponent,
  LinkDirective,
  ListComponent,
  RefusalComponent,
  StateBadgeComponent,
  TargetComponent,
  TenantsComponent,
  TimeComponent,
] as const;
