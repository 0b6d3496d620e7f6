import { init } from './echarts';
import { axis, frame, legend } from './options';
import { palette } from './palette';

/**
 * Draw a chart that nobody sees. The browser compiles then what draws charts, which the first page
 * with one would wait for: up to 40 % of an OSD's first opening.
 */
export function warm(): void {
  const size = { width: 320, height: 160 };
  const chart = init(document.createElement('div'), null, { renderer: 'canvas', ...size });
  const colours = palette(false);
  const data = [1, 2, 3].map((second) => [second * 1000, second]);
  const shown = { legend: legend(colours), yAxis: axis(colours, { type: 'value', name: 'ms' }) };
  const overTime = {
    ...shown,
    xAxis: axis(colours, { type: 'time' }),
    dataZoom: [{ type: 'inside' }],
  };
  const names = axis(colours, { type: 'category', data: ['a', 'b', 'c'] });
  const line = { type: 'line', areaStyle: {}, data };
  chart.setOption(frame(colours, { ...overTime, series: [line] }));
  const bars = { type: 'bar', data: [1, 2, 3] };
  chart.setOption(frame(colours, { ...shown, xAxis: names, series: [bars] }), { notMerge: true });
  chart.dispose();
}
