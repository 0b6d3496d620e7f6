import { savedFiles } from '../../testing/saving';
import { world } from '../../testing/recorded';
import { button, show, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { ReportComponent } from './report.component';

const SAVE = 'Save a report of the last 30 days: JSON';

test('the report is saved under its name; why there is none is said', async () => {
  const saved = savedFiles();
  const made = world();
  const fixture = show(ReportComponent, made);
  await until(fixture, (text) => text.includes('JSON'));
  button(fixture, SAVE).click();
  await until(fixture, () => saved.length > 0);
  expect(saved[0]?.name).toMatch(/^perf-bench-.*\.json$/);
  made.http.refuses = () => new Refusal('store-away', 'the database is away');
  button(fixture, SAVE).click();
  await until(fixture, (text) => text.includes('the database is away'));
  expect(saved).toHaveLength(1);
});
