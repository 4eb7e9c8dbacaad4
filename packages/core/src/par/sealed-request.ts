import type { PushedRequest } from '../authorization/pushed-requests.ts'
import { openText, sealText } from '../kernel/sealed-text.ts'
import type { Random } from '../kernel/secrets.ts'

/** RFC 9126 2.2. */
const URN = 'urn:ietf:params:oauth:request_uri:'
/** What the sealing key is for. */
export const PURPOSE = 'pushed authorization requests'

/** A `request_uri` that is the request itself: nothing is stored, so nobody can fill the store by pushing. */
export function sealRequest(key: Uint8Array, random: Random, request: PushedRequest): string {
  const { pushedAt, clientId, query, unapproved = false } = request
  return URN + sealText(key, random, JSON.stringify([pushedAt, clientId, query, unapproved]))
}

/** The request in a genuine `request_uri`, or `undefined`. */
export function openRequest(key: Uint8Array, requestUri: string): PushedRequest | undefined {
  const text = requestUri.startsWith(URN) ? openText(key, requestUri.slice(URN.length)) : undefined
  if (text === undefined) return undefined
  const [pushedAt, clientId, query, unapproved] = JSON.parse(text)
  return { pushedAt, clientId, query, unapproved }
}
