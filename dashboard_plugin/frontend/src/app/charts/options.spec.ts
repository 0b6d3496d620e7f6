import { fitted, lineData } from './options';

const LEGEND = { top: 0, right: 0 };
const named = (...names: string[]): object[] => names.map((name) => ({ name, data: [] }));

test.each([
  ['it fits beside the unit', ['read'], 390, null],
  ['the unit leaves no room', ['read by clients', 'written by them', 'recovery'], 390, 52],
  ['it takes two lines', ['slowest to fastest OSD of the wave', 'median of the wave'], 390, 72],
  ['on a wide screen it has room', ['slowest to fastest OSD of the wave', 'median'], 900, null],
  ['a name wider than the chart takes one line', ['x'.repeat(80)], 390, 52],
])('%s', (_, names, width, top) => {
  const option = { legend: LEGEND, series: named(...names), yAxis: { name: 'MiB/s' } };
  const found = fitted(option, width) as { grid?: { top: number }; legend: object };
  expect(found.grid?.top ?? null).toBe(top);
  expect(found.legend).toEqual(top === null ? LEGEND : { top: 0, right: null, left: 0 });
});

test('names in the legend alone count, those of both axes too', () => {
  const option = {
    legend: { data: ['median'] },
    series: named('median', 'a band that the legend does not name', 'another one of these'),
    yAxis: [{ name: 'MiB/s' }, { name: 'milliseconds' }],
    grid: { top: 40, left: 8 },
  };
  expect(fitted(option, 260)).toBe(option);
  expect(fitted(option, 200)).toMatchObject({ grid: { top: 52, left: 8 } });
  const roomy = { ...option, grid: { top: 56 } };
  expect(fitted(roomy, 200)).toMatchObject({ grid: { top: 56 } });
});

test('a chart without a legend, or that is not shown yet, stays as it is', () => {
  const option = { series: named('a'.repeat(90)) };
  expect(fitted(option, 100)).toBe(option);
  const shown = { ...option, legend: {} };
  expect(fitted(shown, 0)).toBe(shown);
});

const line = (...values: (number | null)[]): ReturnType<typeof lineData> =>
  lineData(values.map((value, at) => [at, value]));

test.each([
  ['one point is all there is', [3], [5]],
  ['gaps on both sides', [3, 4, null, 2, null, 0], [0, 0, 0, 5, 0, 5]],
])('a point that no line shows is a circle: %s', (_, values, sizes) => {
  const found = line(...values) as { symbolSize: (value: unknown, at: object) => number };
  expect(found).toMatchObject({ showSymbol: true, showAllSymbol: true, symbol: 'circle' });
  expect(values.map((__, dataIndex) => found.symbolSize(null, { dataIndex }))).toEqual(sizes);
});

test('a line that shows all of its points has no circles', () => {
  const [whole, parts] = [line(3, 4), line(null, 3, 4, null, 2, 1)];
  expect([whole, parts]).toMatchObject([{ showSymbol: false }, { showSymbol: false }]);
  expect(whole).toMatchObject({
    data: [
      [0, 3],
      [1, 4],
    ],
  });
});
