import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** Content that travels through the browser and comes back unchanged: cookies, and tokens of forms. */

/** A key for one purpose, derived from the secret of the service. Node takes six times as long to sign with mere bytes. */
export function sealingKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update(`cookie ${purpose}`).digest())
}

/** Signs on the main thread: while passwords are hashed, the threads of libuv are busy for seconds. */
export function seal(key: KeyObject, claims: Record<string, string>, seconds: number): string {
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
  key: KeyObject,
  sealed: string | undefined,
  claims: Claims,
  seconds: number,
): z.output<Claims> | undefined {
  if (sealed === undefined) return undefined
  const [content = '', signed = ''] = sealed.split('.')
  const [given, right] = [Buffer.from(signed), Buffer.from(signature(key, content))]
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const opened: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
  return isAlive(Lifetime.parse(opened), seconds) ? claims.safeParse(opened).data : undefined
}

function isAlive({ iat, exp }: z.output<typeof Lifetime>, seconds: number): boolean {
  const now = Date.now() / 1000
  return iat <= now + CLOCK_TOLERANCE && now < Math.min(exp, iat + seconds)
}

function signature(key: KeyObject, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64url')
}
