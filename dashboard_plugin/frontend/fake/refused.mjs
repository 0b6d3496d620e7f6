/** An answer that is an error. */
export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} detail @param {string} [field] @param {readonly string[]} [reasons] */
  constructor(status, code, detail, field, reasons = []) {
    super(detail);
    this.status = status;
    this.body = { detail, code, component: 'perf_bench', reasons, ...(field ? { field } : {}) };
  }
}
