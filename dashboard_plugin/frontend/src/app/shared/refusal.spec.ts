import { TestBed } from '@angular/core/testing';
import { until } from '../../testing/settle';
import { world } from '../../testing/fake-http';
import { Refusal } from '../core/refusal';
import { RefusalComponent } from './refusal.component';

test('a refusal is said in the language of the tab', async () => {
  const made = world();
  made.host.locale.set('de');
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(RefusalComponent);
  const detail = { code: 'no-host', text: "no host 'x'", values: { name: "'x'" } };
  const body = { detail: detail.text, component: 'perf_bench', said: { detail } };
  fixture.componentRef.setInput('refusal', Refusal.from(404, body));
  await until(fixture, (text) => text.includes('kein Host'));
});
