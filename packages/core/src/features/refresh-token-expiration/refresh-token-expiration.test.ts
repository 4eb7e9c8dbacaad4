import { expect, it } from 'vitest'
import type { ServerContext } from '../../feature.ts'
import type { ExchangePlan, TokenRequest } from '../../grants/grant-type.ts'
import { refreshTokenExpiration } from './refresh-token-expiration.ts'

const REFRESH = { expiresAt: 105 }

it.each([
  ['an idle end before the absolute one', { expiresAt: 110, refresh: REFRESH }, 'r', [5, 10]],
  ['an idle end after the absolute one', { expiresAt: 103, refresh: REFRESH }, 'r', [3, 3]],
  ['ends that are past', { expiresAt: 90, refresh: { expiresAt: 80 } }, 'r', [0, 0]],
  ['an idle end that is past', { expiresAt: 110, refresh: { expiresAt: 80 } }, 'r', [0, 10]],
  ['no refresh token in the answer', { expiresAt: 110, refresh: REFRESH }, undefined, undefined],
  ['a grant without refresh tokens', { expiresAt: 110 }, 'r', undefined],
])('with %s', async (_, grant, refreshToken, ends) => {
  const { tokenMembers } = refreshTokenExpiration()({} as ServerContext)
  const plan = { grant, issued: { refreshToken } } as unknown as ExchangePlan
  const make = await tokenMembers?.prepare({ now: 100 } as TokenRequest, plan)
  const [refresh_token_timeout, authorization_expires_in] = ends ?? []
  expect(make?.({} as never, undefined)).toEqual(ends && { refresh_token_timeout, authorization_expires_in })
})
