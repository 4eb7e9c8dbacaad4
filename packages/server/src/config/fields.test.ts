import { describe, expect, it } from 'vitest'
import { hasPassword, masked, needsEncoding, withMaskedUrls } from './fields.ts'

/** Each with the text that may be printed. */
const WITH_PASSWORD = [
  ['postgres://me:horse@db/auth', 'postgres://me:***@db/auth'],
  ['postgres://me:horse@db:5432/auth?sslmode=require', 'postgres://me:***@db:5432/auth?sslmode=require'],
  ['postgres://me:horse@db/auth?sslmode=horse', 'postgres://me:***@db/auth?sslmode=***'],
  ['postgres://me:horse@/auth?host=/run/postgresql', 'postgres://***'],
  ['postgres://db/auth?user=me&password=horse', 'postgres://db/auth?user=***&password=***'],
  ['postgres://db/auth?PASSWORD=horse', 'postgres://db/auth?PASSWORD=***'],
  ['postgres://db/auth?p%61ssword=horse', 'postgres://db/auth?password=***'],
  ['postgres://db/auth?sslpassword=horse', 'postgres://db/auth?sslpassword=***'],
  ['postgres:///auth?password=horse', 'postgres:///auth?password=***'],
  ['rediss://:horse@cache:6379', 'rediss://:***@cache:6379'],
  ['redis+cluster://me:horse@a:7000,b:7001', 'redis+cluster://me:***@a:7000,b:7001'],
  ['redis+sentinel://:horse@a,b:1/mymaster', 'redis+sentinel://:***@a,b:1/mymaster'],
  ['smtp://mail?pass=horse', 'smtp://mail?pass=***'],
  ['smtps://mail?tls.passphrase=horse&tls.key=horse', 'smtps://mail?tls.passphrase=***&tls.key=***'],
  // These characters must be encoded in a password.
  ['postgres://me:horse/x@db/auth', 'postgres://***'],
  ['postgres://me:1/horse@db/auth', 'postgres://***'],
  ['postgres://me:horse?x=1@db/auth', 'postgres://***'],
  ['postgres://me:1?horse@db/auth', 'postgres://***'],
  ['postgres://me:horse#x@db/auth', 'postgres://***'],
  ['postgres://me:a@horse/b@db/auth', 'postgres://***'],
  ['postgres://me:a,horse/b@db/auth', 'postgres://***'],
  ['postgres://db:5432/auth?password=a@horse', 'postgres://***'],
  ['me:horse@db/auth', '***'],
  ['redis:me:horse@cache', '***'],
] as const

const WITHOUT = [
  ['postgres://db/auth', 'postgres://db/auth'],
  ['postgres://me@db:5432/auth', 'postgres://me@db:5432/auth'],
  ['postgres://me:@db/auth', 'postgres://me:***@db/auth'],
  [
    'postgres://db/auth?sslmode=verify-full&sslkey=client.key',
    'postgres://db/auth?sslmode=verify-full&sslkey=***',
  ],
  ['postgres://db/auth?password=', 'postgres://db/auth?password=***'],
  ['redis://[::1]:6379/0', 'redis://[::1]:6379/0'],
  ['redis+cluster://a:7000,b:7001', 'redis+cluster://a:7000,b:7001'],
  ['sqlite:/data/a:b@c?password=d.sqlite', 'sqlite:/data/a:b@c?password=d.sqlite'],
  ['memory:', 'memory:'],
] as const

describe('the password of a URL', () => {
  it.each(WITH_PASSWORD)('is found in %s, and printed as %s', (url, printed) => {
    expect(hasPassword(url)).toBe(true)
    expect(masked(url)).toBe(printed)
    expect(withMaskedUrls(`no answer from "${url}"`)).not.toContain(url.includes('://') ? 'horse' : '***')
  })

  it.each(WITHOUT)('is not found in %s, which is printed as %s', (url, printed) => {
    expect(hasPassword(url)).toBe(false)
    expect(masked(url)).toBe(printed)
  })

  it.each(WITH_PASSWORD.map(([url]) => url))('needs to be encoded only where it is cut: %s', (url) => {
    const isCut = /\/\/\S*[/?#]\S*@/.test(url) || url.includes('a@horse')
    expect(needsEncoding(url)).toBe(isCut)
  })

  it.each(WITHOUT.map(([url]) => url))('does not need to be encoded in %s', (url) => {
    expect(needsEncoding(url)).toBe(false)
  })

  it('is masked inside a sentence, which stays the same otherwise', () => {
    const advice = 'A Redis URL begins with redis://, redis+cluster:// or redis+sentinel:// (rediss for TLS)'
    expect(withMaskedUrls(advice)).toBe(advice)
    expect(withMaskedUrls('no answer of postgres://me:horse@db/auth.')).toBe(
      'no answer of postgres://me:***@db/auth.',
    )
  })
})
