import { describe, expect, it } from 'vitest'
import type { Client } from '../kernel/records.ts'
import { grantTerms, termsOf } from './grant-terms.ts'

describe('the terms of grants', () => {
  const MONTH = 30 * 24 * 60 * 60
  const defaults = {
    ...{
      accessToken: 3600,
      refreshToken: MONTH,
      refreshRetryWindow: 60,
      refreshLateRetry: 900,
      maxAccessTokens: 8,
    },
    refreshTokenRotation: 'always',
  }

  it.each([
    [{}, {}],
    [{ maxAccessTokens: 1 }, { maxAccessTokens: 1 }],
    [{ maxAccessTokens: 100 }, { maxAccessTokens: 100 }],
    [{ refreshTokenRotation: 'public-clients' as const }, { refreshTokenRotation: 'public-clients' }],
    [{ lifetimes: { refreshRetryWindow: 900 } }, { refreshRetryWindow: 900 }],
    [{ lifetimes: { refreshRetryWindow: 0 } }, { refreshRetryWindow: 0 }],
    [{ lifetimes: { accessToken: 5, refreshToken: 7 } }, { accessToken: 5, refreshToken: 7 }],
  ])('of the options %j are %j, besides the defaults', (options, terms) => {
    expect(grantTerms(options)).toEqual({ ...defaults, ...terms })
  })

  it.each([
    ['maxAccessTokens', { maxAccessTokens: 0 }],
    ['maxAccessTokens', { maxAccessTokens: 101 }],
    ['maxAccessTokens', { maxAccessTokens: 1.5 }],
    ['refreshTokenRotation', { refreshTokenRotation: 'never' as never }],
    ['lifetimes.refreshRetryWindow', { lifetimes: { refreshRetryWindow: 901 } }],
    ['lifetimes.refreshRetryWindow', { lifetimes: { refreshRetryWindow: -1 } }],
    ['lifetimes.accessToken', { lifetimes: { accessToken: 0 } }],
    ['lifetimes.refreshToken', { lifetimes: { refreshToken: 0 } }],
  ])('have no %s of the options %j', (name, options) => {
    expect(() => grantTerms(options)).toThrow(name)
  })

  it.each([
    ['a hosted known client', 'https://app.example/cb', true, 60, 120],
    ['a hosted known client, of an operator who allows more', 'https://app.example/cb', true, 300, 300],
    ['a hosted known client, if the operator allows none', 'https://app.example/cb', true, 0, 0],
    ['a known client on a computer', 'http://127.0.0.1/cb', true, 60, 60],
    ['a known client without a redirect URI', undefined, true, 60, 60],
    ['any other client', 'https://app.example/cb', false, 60, 60],
  ])('have the retry window of %s', (_, redirectUri, known, configured, window) => {
    const terms = grantTerms({ lifetimes: { refreshRetryWindow: configured } })
    const client = (known ? { knownClient: 'app' } : {}) as Pick<Client, 'knownClient'>
    expect(termsOf(terms, { redirectUri }, client)).toEqual({ ...terms, refreshRetryWindow: window })
  })
})
