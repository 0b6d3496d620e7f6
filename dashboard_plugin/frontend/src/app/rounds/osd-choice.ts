/** The expression that selects a round's OSDs, in parts joined by &: "0,3,7-9", "class=hdd". */

/** No list is read out further: the module refuses OSDs that do not exist. */
const MOST_OSDS = 100_000;

/** The value of a part such as "class=hdd"; empty without one. */
export function valueOf(expression: string, key: string): string {
  const part = partsOf(expression).find((one) => one.startsWith(`${key}=`));
  return part?.slice(key.length + 1) ?? '';
}

/** The expression with another value of this part; an empty value takes the part away. */
export function withValue(expression: string, key: string, value: string): string {
  const others = partsOf(expression).filter((one) => !one.startsWith(`${key}=`));
  return [...others, ...(value ? [`${key}=${value}`] : [])].join('&');
}

/** The OSDs that are named one by one, in order. */
export function listOf(expression: string): readonly number[] {
  return partsOf(expression)
    .filter(isList)
    .flatMap((part) => part.split(','))
    .flatMap((range) => {
      const [from = 0, to = from] = range.split('-').map(Number);
      return Array.from(
        { length: Math.min(MOST_OSDS, Math.max(0, to - from + 1)) },
        (_, at) => from + at,
      );
    });
}

/** The expression with these OSDs named one by one instead of those before; none takes them away. */
export function withList(expression: string, osds: readonly number[]): string {
  const others = partsOf(expression).filter((part) => !isList(part));
  return [...(osds.length ? [ranges(osds)] : []), ...others].join('&');
}

function partsOf(expression: string): readonly string[] {
  return expression
    .split('&')
    .map((part) => part.trim())
    .filter(Boolean);
}

function isList(part: string): boolean {
  return /^\d{1,7}(-\d{1,7})?(,\d{1,7}(-\d{1,7})?)*$/.test(part);
}

/** "0,3,7-9" */
function ranges(osds: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const osd of [...new Set(osds)].sort((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.[1] === osd - 1) last[1] = osd;
    else runs.push([osd, osd]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
