import { createHash } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { parseCookie } from 'cookie'
import * as z from 'zod'
import { parseJson } from './bodies-and-answers.ts'
import { cookieOf, hmacKeys, isTooLongForCookie, signValue, verifyValue } from './signed-value.ts'

/**
 * What a browser has begun at these pages and will bring back: a form, a sign-in elsewhere, a ceremony, the use of an account.
 * Each has a signed cookie of its own, so that no tab voids what another one has begun.
 */
export interface Flows<Value> {
  /**
   * @param cookies the Cookie header of the request
   * @param id comes back with the answer: the token of a form, a state, a challenge, an account. A known one gets its time anew
   * @returns the Set-Cookie lines: of this flow, and of the oldest ones that make room for it. `undefined`: a browser
   *   would drop the cookie
   */
  begin(cookies: string | undefined, id: string, value: Record<string, string>): string[] | undefined
  /** @param id of an answer, whoever sent it. @returns `undefined` if this browser did not begin it, or too long ago */
  find(cookies: string | undefined, id: string): Flow<Value> | undefined
  /** What this browser began last. */
  latest(cookies: string | undefined): Flow<Value> | undefined
  /** The Set-Cookie line that deletes it. */
  end(id: string): string
}

export type Flow<Value> = Value & { readonly id: string }

/** The most of one kind in a browser, and the characters of their cookies: proxies take 8 KB of them in all. */
const MAX_FLOWS = 5
const MAX_CHARACTERS = 5000

interface FlowOptions<Value extends z.ZodType> {
  /** Of the cookies. */
  readonly name: string
  /** Of the key: what began for one purpose is unknown for another. */
  readonly purpose: string
  readonly value: Value
  readonly seconds: number
}

export function flowsInCookies<Value extends z.ZodType>(
  { secret, baseUrl }: { readonly secret: ServerSecret; readonly baseUrl: string },
  { name, purpose, value, seconds }: FlowOptions<Value>,
): Flows<z.output<Value>> {
  const keys = hmacKeys(secret, purpose)
  const schema = z.intersection(value, z.object({ id: z.string() }))
  const cookieOfSuffix = (suffix: string) => cookieOf(name, baseUrl, suffix)
  const cookieOfId = (id: string) =>
    cookieOfSuffix(`.${createHash('sha256').update(id).digest('base64url').slice(0, 8)}`)
  const verified = (text: string | undefined) => verifyValue(keys, text, schema, seconds)

  /** The newest first. Their times are not verified: they decide only which one goes. */
  function begun(cookies = ''): { readonly suffix: string; readonly text: string }[] {
    const { name: start } = cookieOfSuffix('')
    return Object.entries(parseCookie(cookies))
      .flatMap(([cookie, text = '']) => {
        const suffix = cookie.startsWith(start) ? cookie.slice(start.length) : ''
        return /^\.[\w-]{8}$/.test(suffix) ? [{ suffix, text, iat: timeOf(text) }] : []
      })
      .reverse()
      .sort((one, other) => other.iat - one.iat)
  }

  return {
    begin(cookies, id, value) {
      const cookie = cookieOfId(id)
      const text = signValue(keys, { ...value, id }, seconds)
      if (isTooLongForCookie(text)) return undefined
      let characters = text.length
      const old = begun(cookies)
        .filter(({ suffix }) => !cookie.name.endsWith(suffix))
        .filter(({ text }, index) => {
          characters += text.length
          return index >= MAX_FLOWS - 1 || characters > MAX_CHARACTERS
        })
      return [cookie.set(text, seconds), ...old.map(({ suffix }) => cookieOfSuffix(suffix).set('', 0))]
    },
    find(cookies, id) {
      const flow = verified(cookieOfId(id).read(cookies))
      return flow?.id === id ? flow : undefined
    },
    latest(cookies) {
      for (const { text } of begun(cookies)) {
        const flow = verified(text)
        if (flow !== undefined) return flow
      }
      return undefined
    },
    end: (id) => cookieOfId(id).set('', 0),
  }
}

const Issued = z.object({ iat: z.number() })

/** When a value was signed, in epoch seconds; 0 for what this service has not made. */
function timeOf(text: string): number {
  const [content = ''] = text.split('.')
  return Issued.safeParse(parseJson(Buffer.from(content, 'base64url').toString())).data?.iat ?? 0
}
