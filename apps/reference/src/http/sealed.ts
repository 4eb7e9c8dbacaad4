import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { z } from 'zod'

/** Content that travels through the browser and comes back unchanged: cookies, and tokens of forms. */

/** The keys for one purpose: the first one seals, all of them open. */
export type SealingKeys = readonly [current: KeyObject, ...previous: KeyObject[]]

/** Derived from the secrets of the service. Node takes six times as long to sign with mere bytes. */
export function sealingKeys(secret: ServerSecret, purpose: string): SealingKeys {
  const [current, ...previous] = typeof secret === 'string' ? ([secret] as const) : secret
  const keyOf = (accepted: string) =>
    createSecretKey(createHmac('sha256', accepted).update(`cookie ${purpose}`).digest())
  return [keyOf(current), ...previous.map(keyOf)]
}

/** Signs on the main thread: while passwords are hashed, the threads of libuv are busy for seconds. */
export function seal([key]: SealingKeys, claims: Record<string, string>, seconds: number): string {
  const iat = Math.floor(Date.now() / 1000)
  const content = Buffer.from(JSON.stringify({ ...claims, iat, exp: iat + seconds })).toString('base64url')
  return `${content}.${signature(key, content)}`
}

const Lifetime = z.object({ iat: z.number(), exp: z.number() })

/** Seconds between the clocks of replicas. */
const CLOCK_TOLERANCE = 60

/**
 * The sealed content, or `undefined` if it is changed, expired or missing.
 *
 * @param seconds the longest life, whatever end the content claims
 */
export function open<Claims extends z.ZodType>(
  keys: SealingKeys,
  sealed: string | undefined,
  claims: Claims,
  seconds: number,
): z.output<Claims> | undefined {
  if (sealed === undefined) return undefined
  const [content = '', signed = ''] = sealed.split('.')
  if (!keys.some((key) => isSignature(signed, key, content))) return undefined
  const opened: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
  return isAlive(Lifetime.parse(opened), seconds) ? claims.safeParse(opened).data : undefined
}

function isAlive({ iat, exp }: z.output<typeof Lifetime>, seconds: number): boolean {
  const now = Date.now() / 1000
  return iat <= now + CLOCK_TOLERANCE && now < Math.min(exp, iat + seconds)
}

function isSignature(signed: string, key: KeyObject, content: string): boolean {
  const [given, right] = [Buffer.from(signed), Buffer.from(signature(key, content))]
  return given.length === right.length && timingSafeEqual(given, right)
}

function signature(key: KeyObject, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64url')
}
