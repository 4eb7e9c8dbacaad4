/** A Worker that fetches what a test asks for, and answers with the outcome as JSON. */
import { type SafeFetchOptions, safeFetch, safePost } from '../../src/index.ts'

interface Asked {
  readonly url: string
  readonly options?: Partial<SafeFetchOptions>
  /** Makes it a POST. */
  readonly posted?: string
}

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response()
    const asked = (await request.json()) as Asked
    const outcome = await fetched(asked).catch(({ code, message }) => ({ code, message }))
    return Response.json(outcome)
  },
}

async function fetched({ url, options, posted }: Asked): Promise<object> {
  const settings = { issuer: 'https://server.dev/auth', ...options }
  const { signal } = new AbortController()
  if (posted !== undefined)
    return safePost(settings)(url, { headers: { 'content-type': 'text/plain' }, body: posted, signal })
  const fetchDocument = safeFetch(settings)
  return fetchDocument(url, { accept: 'application/json', maxBytes: 5120, headers: {}, signal })
}
