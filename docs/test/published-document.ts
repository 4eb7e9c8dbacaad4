/** What the host of a client ID metadata document answers now. */
export type PublishedDocument =
  | { readonly kind: 'published'; readonly members: unknown }
  /** No answer, or one that says nothing of the document: a bot wall, a redirect, an error page. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/** @param get as the global `fetch`. A 404 or 410 is published too: the document is gone. */
export async function publishedDocument(url: string, get: typeof fetch = fetch): Promise<PublishedDocument> {
  try {
    const headers = { accept: 'application/json' }
    const response = await get(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    if ([404, 410].includes(response.status)) return { kind: 'published', members: `${response.status}` }
    if (response.status !== 200) return { kind: 'unreachable', reason: `status ${response.status}` }
    return { kind: 'published', members: JSON.parse(await response.text()) }
  } catch (error) {
    return { kind: 'unreachable', reason: String(error) }
  }
}
