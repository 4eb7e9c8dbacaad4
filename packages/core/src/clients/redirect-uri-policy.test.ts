import { describe, expect, it } from 'vitest'
import { loopbackAnd, loopbackOnly, redirectUriPolicyOf } from './redirect-uri-policy.ts'

describe('loopbackOnly', () => {
  const loopback = 'http://127.0.0.1:1/cb'
  const https = 'https://app.example/cb'

  it('does not repeat the input, which may be a secret in the wrong field', () => {
    expect(loopbackOnly()(['gkr_a-token'])).toEqual({
      refused: 'redirect_uris[0]: not a loopback address such as http://127.0.0.1:8080/callback',
    })
  })

  it('keeps the loopback part of a mixed list', () => {
    expect(loopbackOnly()([https, loopback])).toEqual({ accepted: [loopback] })
  })

  it('accepts a query only if configured', () => {
    expect(loopbackOnly()([`${loopback}?a=1`])).toEqual({ refused: 'redirect_uris[0]: must have no query' })
    expect(loopbackOnly({ query: true })([`${loopback}?a=1`])).toHaveProperty('accepted')
  })

  it('accepts the name localhost unless configured otherwise', () => {
    expect(loopbackOnly()(['http://localhost:1/cb'])).toHaveProperty('accepted')
    expect(loopbackOnly({ localhost: false })(['http://localhost:1/cb'])).toEqual({
      refused: 'redirect_uris[0]: use 127.0.0.1 or [::1] rather than localhost',
    })
    expect(loopbackOnly({ localhost: false })([loopback]), 'an IP literal').toHaveProperty('accepted')
  })
})

describe('loopbackAnd', () => {
  const known = 'app.example:/cb'
  const policy = loopbackAnd((uri) => (uri === known ? undefined : 'foreign'), { mixed: 'refuse' })

  it('accepts loopback addresses and what the rule accepts', () => {
    const uris = [known, 'http://127.0.0.1/cb']
    expect(policy(uris)).toEqual({ accepted: uris })
  })

  it('asks the rule about no address of http', () => {
    expect(policy(['HTTP://127.0.0.1/cb?a=1', 'http://127.0.0.1/cb?a=1', 'https://127.0.0.1/cb'])).toEqual({
      refused:
        'redirect_uris[0]: not a loopback address such as http://127.0.0.1:8080/callback; redirect_uris[1]: must have no query; redirect_uris[2]: foreign',
    })
  })
})

describe('redirectUriPolicyOf', () => {
  it('refuses the list for a policy that keeps no URI', () => {
    const policy = redirectUriPolicyOf({ redirectUriPolicy: () => ({ accepted: [] }) })
    expect(policy(['https://app.example/cb'])).toEqual({ refused: 'redirect_uris: none is accepted' })
  })
})
