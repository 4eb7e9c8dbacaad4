import type { Handler } from 'hono'

/** A file that every page may use. @param type its media type */
export function asset(type: string, body: string): Handler {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  }
  return (c) => c.body(body, 200, headers)
}
