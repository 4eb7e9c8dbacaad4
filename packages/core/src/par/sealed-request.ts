import type { PushedRequest } from '../authorization/request-source.ts'
import type { Random } from '../kernel/secrets.ts'
import { openText, type SealingKeys, sealText } from '../kernel/server-secret.ts'

/** RFC 9126 2.2. */
const URN = 'urn:ietf:params:oauth:request_uri:'
/** What the sealing keys are for. */
export const PURPOSE = 'pushed authorization requests'

/** A `request_uri` that is the request itself: nothing is stored, so nobody can fill the store by pushing. */
export function sealRequest(keys: SealingKeys, random: Random, request: PushedRequest): string {
  const { pushedAt, clientId, query, unapproved = false } = request
  return URN + sealText(keys, random, JSON.stringify([pushedAt, clientId, query, unapproved]))
}

/** The request in a genuine `request_uri`, or `undefined`. */
export function openRequest(keys: SealingKeys, requestUri: string): PushedRequest | undefined {
  const text = requestUri.startsWith(URN) ? openText(keys, requestUri.slice(URN.length)) : undefined
  if (text === undefined) return undefined
  const [pushedAt, clientId, query, unapproved] = JSON.parse(text)
  return { pushedAt, clientId, query, unapproved }
}
