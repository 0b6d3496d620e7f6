import { palette } from '../charts/palette';
import { distributionOption } from './round-charts';

test('OSDs that are slow against their peers, and only these, have a colour of their own', () => {
  const bins = [
    { from: 60, to: 65, count: 2, slow: 1 },
    { from: 65, to: 70, count: 0, slow: 0 },
    { from: 70, to: 75, count: 3, slow: 0 },
  ];
  const option = distributionOption(bins, '%', palette(false)) as {
    series: { data: (number | null)[]; stack: string; itemStyle: { color: string } }[];
    tooltip: { formatter: (hit: { dataIndex: number }[]) => string };
  };
  expect(option.series.map(({ data }) => data)).toEqual([
    [1, null, null],
    [1, null, 3],
  ]);
  expect(new Set(option.series.map(({ itemStyle }) => itemStyle.color)).size).toBe(2);
  expect(new Set(option.series.map(({ stack }) => stack)).size).toBe(1);
  expect(option.tooltip.formatter([{ dataIndex: 0 }])).toBe(
    '60 – 65 %: 2 OSDs\nof these slow against their peers: 1',
  );
  expect(option.tooltip.formatter([{ dataIndex: 2 }])).toBe('70 – 75 %: 3 OSDs');
});
