import { AsyncLocalStorage } from 'node:async_hooks'
import type { HttpRequest } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'

/** Which request a call of the store belongs to: a planted fault concerns some requests only. */
export type Doing =
  | 'redeem'
  | 'poll'
  | 'refresh'
  | 'exchange'
  | 'revoke'
  | 'introspect'
  | 'deny'
  | 'use'
  | 'other'

interface Context {
  readonly doing: Doing
  /** The code or refresh token that it presents. */
  readonly credential: string
}

const contexts = new AsyncLocalStorage<Context>()

export function during<T>(request: HttpRequest, work: () => Promise<T>): Promise<T> {
  return contexts.run(contextOf(request), work)
}

export function currently(): Context {
  return contexts.getStore() ?? { doing: 'other', credential: '' }
}

const GRANT_TYPES: Readonly<Record<string, Doing>> = {
  authorization_code: 'redeem',
  refresh_token: 'refresh',
  [DEVICE_CODE_GRANT]: 'poll',
}

export function contextOf({ path, body, headers }: HttpRequest): Context {
  if (headers.authorization !== undefined) return { doing: 'use', credential: '' }
  const form = new URLSearchParams(body)
  const credential =
    form.get('code') ?? form.get('device_code') ?? form.get('refresh_token') ?? form.get('token') ?? ''
  if (path.endsWith('/token'))
    return { doing: GRANT_TYPES[form.get('grant_type') ?? ''] ?? 'exchange', credential }
  if (path.endsWith('/revoke')) return { doing: 'revoke', credential }
  if (path.endsWith('/introspect')) return { doing: 'introspect', credential }
  return { doing: form.get('decision') === 'deny' ? 'deny' : 'other', credential }
}
