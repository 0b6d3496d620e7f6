/** Why a question got no answer, as the pages need to tell them apart. */
export type RefusalKind =
  | 'bad-request'
  | 'logged-out'
  | 'forbidden'
  | 'not-found'
  | 'busy'
  | 'off'
  | 'store-away'
  | 'unreachable'
  | 'broken';

const KINDS: Readonly<Record<number, RefusalKind>> = {
  400: 'bad-request',
  401: 'logged-out',
  403: 'forbidden',
  404: 'not-found',
  409: 'busy',
  503: 'off',
};

/** What is said where the back end said nothing. */
export const REFUSALS: Readonly<Record<RefusalKind, string>> = {
  'bad-request': 'The request was not understood.',
  'logged-out': 'Your session has ended: log in again.',
  forbidden: 'You cannot do this: your roles lack a permission.',
  'not-found': 'It does not exist.',
  busy: 'Another round is running.',
  off: 'The perf_bench module does not answer.',
  'store-away': 'The database of perf_bench does not answer: check the health of the cluster.',
  unreachable: 'The dashboard does not answer: check the network and the manager.',
  broken: 'The dashboard sent an answer that this page does not understand.',
};

/** A question that got no answer; `message` is the back end's sentence, if it had one. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly code = '',
    readonly field = '',
    /** Every cause, where the back end names several. */
    readonly reasons: readonly string[] = [],
  ) {
    super(message);
  }

  /** From an HTTP status and body, whatever that body is. */
  static from(status: number, body: unknown): Refusal {
    const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const text = (key: string): string => (typeof said[key] === 'string' ? said[key] : '');
    const kind = kindOf(status, text('component') === 'perf_bench', text('code'));
    const reasons = Array.isArray(said['reasons']) ? said['reasons'].map(String) : [];
    return new Refusal(kind, text('detail'), text('code'), text('field'), reasons);
  }

  /** Asking again by itself may help. */
  get passing(): boolean {
    return ['off', 'store-away', 'unreachable', 'broken'].includes(this.kind);
  }
}

/**
 * Only an answer of our own back end says something of the module: a proxy, or a manager on standby,
 * has the same statuses for something else.
 */
function kindOf(status: number, ours: boolean, code: string): RefusalKind {
  if (!ours && status >= 502) return 'unreachable';
  if (status !== 503) return KINDS[status] ?? 'broken';
  // The module runs, its database does not answer.
  if (code === 'EAGAIN') return 'store-away';
  // It runs, but gave no answer: to switch it on would not help.
  return code === 'EIO' ? 'broken' : 'off';
}

/** Anything thrown, as a refusal. */
export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('broken', String(error));
}
