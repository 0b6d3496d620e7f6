import { PerfBenchElement } from './element';

if (!customElements.get(PerfBenchElement.tag)) {
  customElements.define(PerfBenchElement.tag, PerfBenchElement);
}
