/** A route taken apart: its path's segments and its query. */
export interface Route {
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** "/rounds/3?tab=osds" in parts; text that cannot be decoded is taken as it is. */
export function parseRoute(text: string): Route {
  const [path = '', query = ''] = text.split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decoded);
  return { segments, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The values of `:name` parts where `pattern` fits the segments, else null. */
export function match(
  pattern: string,
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  const parts = pattern.split('/').filter(Boolean);
  if (parts.length !== segments.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = segments[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return found;
}

/** A path with a query, without those of its values that are empty. */
export function withQuery(path: string, query: Readonly<Record<string, string | null>>): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const text = new URLSearchParams(kept).toString();
  return text ? `${path}?${text}` : path;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
