import type { HttpResponse } from '@grantkit/core'
import type { Operation } from '@grantkit/torture'

export interface Tokens {
  readonly access?: string | undefined
  readonly refresh?: string | undefined
}

/** What an answer says, for the app that gets it and for the history. */
export interface Answer {
  readonly status: number
  readonly tokens: Tokens
  readonly error?: string | undefined
  readonly active?: boolean | undefined
  readonly expiresIn?: number | undefined
}

const BRINGS_TOKENS = new Set<Operation['f']>(['redeem', 'poll', 'refresh', 'exchange'])

export function readAnswer(f: Operation['f'], { status, body, headers }: HttpResponse): Answer {
  const isGood = status < 400
  if (f === 'use') return { status, tokens: {}, active: isGood }
  const json = String(headers['content-type']).includes('json') ? JSON.parse(body) : {}
  const brings = isGood && BRINGS_TOKENS.has(f)
  return {
    ...{ status, error: json.error },
    tokens: brings ? { access: json.access_token, refresh: json.refresh_token } : {},
    active: f === 'introspect' && isGood ? json.active === true : undefined,
    expiresIn: brings ? json.expires_in : undefined,
  }
}

/** A 5xx may have had its effect. A 401 of a resource is an answer: the token is not active. */
export function resultOf(f: Operation['f'], { status }: Answer): Operation['result'] {
  if (status >= 500) return 'info'
  return status < 400 || (f === 'use' && status === 401) ? 'ok' : 'fail'
}
