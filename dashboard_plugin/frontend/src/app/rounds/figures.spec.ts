import { EMPTY, check, request } from './start-form';

describe('the start form', () => {
  test.each([
    [{}, []],
    [{ repeats: '3', size: '1 GiB' }, []],
    [{ repeats: '0' }, ['repeats']],
    [{ repeats: '2.5' }, ['repeats']],
    [{ profile: 'osd-sandwich', rests: 'some' }, ['rests']],
    [{ rests: 'some' }, []],
    [{ max_repeats: 'many' }, ['max_repeats']],
    [{ size: 'much', repeats: 'many' }, ['repeats', 'size']],
  ])('%p is wrong in %p', (fields, wrong) =>
    expect(Object.keys(check({ ...EMPTY, ...fields }))).toEqual(wrong),
  );

  test('a profile with parts is not asked what means nothing to it', () => {
    const typed = { ...EMPTY, size: '1 MiB', max_repeats: '4', rest: '20m', rests: '0' };
    expect(request({ ...typed, profile: 'osd-sandwich' })).toEqual({
      profile: 'osd-sandwich',
      rest: '20m',
      rests: 0,
    });
    expect(request({ ...typed, profile: 'osd-wal' })).toEqual({ profile: 'osd-wal' });
  });

  test('empty fields are left to the profile', () => {
    expect(request({ ...EMPTY, profile: 'p', osds: '  ' })).toEqual({ profile: 'p' });
    const full = {
      ...EMPTY,
      profile: 'p',
      osds: '0,1',
      repeats: '2',
      max_repeats: '4',
      size: '1 MiB',
      label: ' x ',
      force: true,
    };
    expect(request(full)).toEqual({
      profile: 'p',
      osds: '0,1',
      repeats: 2,
      max_repeats: 4,
      size: 2 ** 20,
      label: 'x',
      force: true,
    });
  });
});
