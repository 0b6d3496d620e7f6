import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/fake-http';
import { savedFiles } from '../../testing/saving';
import { button, until } from '../../testing/settle';
import { ReportComponent } from './report.component';

describe('the report to forward', () => {
  let saved = savedFiles();

  beforeEach(() => {
    saved = savedFiles();
  });

  test.each([
    ['HTML', 'html'],
    ['JSON', 'json'],
  ])('%s', async (name, kind) => {
    const made = world();
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(ReportComponent);
    await until(fixture, (found) => found.includes('HTML'));
    button(fixture, `Save a report of the last 30 days: ${name}`).click();
    await until(fixture, () => saved.length > 0);
    expect(saved.map((file) => file.name)).toEqual([`perf-bench-2026-11-21.${kind}`]);
    expect(made.http.asked).toContain(`GET report?since=30d&as=${kind}`);
  });

  test('why there is none is said', async () => {
    const made = world();
    made.http.answers.overTime.report = () => {
      throw new Error('the database is away');
    };
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(ReportComponent);
    await until(fixture, (found) => found.includes('HTML'));
    button(fixture, 'Save a report of the last 30 days: HTML').click();
    await until(fixture, (found) => !found.includes('being written') && /error|away/i.test(found));
    expect(saved).toEqual([]);
  });
});
