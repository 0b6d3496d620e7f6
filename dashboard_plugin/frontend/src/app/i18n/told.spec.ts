import { TestBed } from '@angular/core/testing';
import { Refusal } from '../core/refusal';
import { world } from '../../testing/fake-http';
import { I18n } from './i18n';

async function speaking(locale: string): Promise<I18n> {
  const made = world();
  made.host.locale.set(locale);
  TestBed.configureTestingModule({ providers: made.providers });
  const i18n = TestBed.inject(I18n);
  TestBed.tick();
  while (locale !== 'en' && i18n.t('common.yes') !== 'ja') {
    await new Promise((next) => setTimeout(next, 10));
  }
  return i18n;
}

describe('sentences of the module', () => {
  const said = {
    message: {
      code: 'laggy-osd',
      text: 'as the module says it',
      values: {
        osd: { code: 'osd-on-host', text: 'osd.3 on a', values: { osd: 3, host: 'a' } },
        percent: 98.6,
        how: { code: 'not known here', text: 'up to 4 at once', values: {} },
      },
    },
  };
  const laggy = { message: 'as the module says it', said };

  test('are said with their values and the sentences in them', async () => {
    expect((await speaking('de-DE')).told(laggy, 'message')).toBe(
      'osd.3 auf a macht Placement Groups laggy: 99 % davon liegen darauf (up to 4 at once)',
    );
  });

  test('are the module’s own in English, and in a list without a code', async () => {
    expect((await speaking('en')).told(laggy, 'message')).toBe('as the module says it');
    const i18n = TestBed.inject(I18n);
    expect(i18n.toldAll({ reasons: ['a', 'b'] }, 'reasons')).toEqual(['a', 'b']);
    const one = { code: 'aborted', text: 'b', values: {} };
    const told = { reasons: ['a', 'b'], said: { reasons: [null, one] } };
    expect(i18n.toldAll(told, 'reasons')).toEqual(['a', 'b']);
  });

  test('in a list each by its own code', async () => {
    const i18n = await speaking('de');
    const one = { code: 'aborted', text: 'b', values: {} };
    const told = { reasons: ['a', 'b'], said: { reasons: [null, one] } };
    expect(i18n.toldAll(told, 'reasons')).toEqual(['a', 'vom Bediener abgebrochen']);
  });

  test('name kinds of operations as the tab does, and leave unknown ones', async () => {
    const i18n = await speaking('de');
    const of = (channel: string): string => {
      const one = { code: 'channel-no-data', text: 'x', values: { channel } };
      return i18n.told({ explain: 'x', said: { explain: one } }, 'explain');
    };
    expect(of('client_read')).toBe('Lesen der Clients: keine Daten in den letzten Minuten.');
    expect(of('new_one')).toBe('new_one: keine Daten in den letzten Minuten.');
  });

  test('have states in the words of the tab', async () => {
    const i18n = await speaking('de');
    const of = (status: string): string => {
      const one = { code: 'part-is', text: 'x', values: { part: 'PSU 1', status } };
      return i18n.told({ suspects: 'x', said: { suspects: one } }, 'suspects');
    };
    expect(of('critical')).toBe('PSU 1: kritisch');
    expect(of('Not installed')).toBe('PSU 1: nicht eingebaut');
    expect(of('on fire')).toBe('PSU 1: on fire');
  });

  test.each([
    ['round-is', { round: 3, verdict: 'too short' }, 'Lauf 3 hat das Urteil zu kurz'],
    [
      'round-is-because',
      { round: 3, verdict: 'noisy', why: 'w' },
      'Lauf 3 hat das Urteil verrauscht: w',
    ],
    ['round-still', { round: 3, state: 'running' }, 'Lauf 3 ist noch nicht zu Ende (läuft)'],
    ['round-not-running', { id: '3', state: 'done' }, 'Lauf 3 ist nicht im Gange: fertig'],
    [
      'baseline-invalid',
      { id: '3', verdict: 'noisy' },
      'Lauf 3 ist verrauscht: nur ein gültiger Lauf kann Baseline sein',
    ],
    ['worker-unusable', { name: 'a', state: 'lost', note: 'n' }, 'Worker a ist verloren: n'],
    [
      'plan-worker-left-out',
      { id: 'a', host: 'b', state: 'busy', why: 'w' },
      'Worker a auf b ist ausgelassen (beschäftigt): w',
    ],
  ])('have verdicts and states in the words of the tab: %s', async (code, values, text) => {
    const i18n = await speaking('de');
    expect(i18n.told({ a: 'x', said: { a: { code, text: 'x', values } } }, 'a')).toBe(text);
  });

  test('say why a question was refused', async () => {
    const i18n = await speaking('de');
    const text = "no round 7: 'ceph perf-bench round ls' lists those there are";
    const detail = { code: 'no-such-round', text, values: { id: '7' } };
    const refused = Refusal.from(404, { detail: text, component: 'perf_bench', said: { detail } });
    expect(refused.message).toBe(text);
    expect(i18n.told(refused, 'detail')).toBe('kein Lauf 7: „ceph perf-bench round ls“ nennt alle');
    // A proxy's answer, or one of a version before, has no code.
    expect(i18n.told(Refusal.from(404, { detail: text }), 'detail')).toBe(text);
  });
});
