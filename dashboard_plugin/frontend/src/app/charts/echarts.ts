/** Only those parts of ECharts that the pages draw with: this is a chunk of its own. */
import { BarChart, LineChart } from 'echarts/charts';
import {
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([
  BarChart,
  CanvasRenderer,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  TooltipComponent,
]);

export { init };
