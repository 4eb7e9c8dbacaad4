import { createHash } from 'node:crypto'
import type { Handler } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'

/** Headers that scripts of other origins need, and that a 304 of Hono leaves out. */
const revalidate = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'access-control-allow-origin', 'x-content-type-options'],
})

/**
 * Sends a text with a strong validator over its bytes (RFC 9110 8.8.3), and 304 to a client that has it (13.1.2). The validator
 * is computed when the text changes, not for each request: a service has one thread.
 *
 * @param headers of the response, with its media type and how long caches keep it
 */
export function revalidatedText(
  textNow: () => string | Promise<string>,
  headers: Readonly<Record<string, string>>,
): Handler {
  let known = withValidator('')
  return async (c) => {
    const text = await textNow()
    if (text !== known.text) known = withValidator(text)
    const { validator } = known
    await revalidate(c, async () => {
      c.res = c.body(text, 200, { ...headers, etag: validator })
    })
    return c.res
  }
}

function withValidator(text: string) {
  return { text, validator: `"${createHash('sha256').update(text).digest('base64url')}"` }
}
