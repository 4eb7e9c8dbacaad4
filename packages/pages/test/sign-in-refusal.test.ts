import { describe, expect, it } from 'vitest'
import { pages } from '../src/index.ts'
import * as included from '../src/languages/index.ts'

const ui = pages({ brand: { name: 'Notes' } })
const DOMAINS = { domain: 'other.example', domains: ['corp.example', 'notes.example'] }

describe('the reason of a refused sign-in', () => {
  it.each(Object.values(included))('is in $name', ({ tag, signInRefused }) => {
    const shown = ui.signInRefusal({ locale: tag, reason: 'email_unverified', provider: 'Partner' })
    expect(shown).toEqual({
      text: signInRefused.emailUnverified.replace('{provider}', 'Partner'),
      lang: tag,
      dir: 'ltr',
    })
    const { text } = ui.signInRefusal({
      locale: tag,
      reason: 'domain_not_allowed',
      provider: 'P',
      ...DOMAINS,
    })
    for (const domain of [DOMAINS.domain, ...DOMAINS.domains]) expect(text).toContain(domain)
  })

  it('names the domains that can sign in, and the one of the user', () => {
    const { text } = ui.signInRefusal({ reason: 'domain_not_allowed', provider: 'Partner', ...DOMAINS })
    expect(text).toBe('corp.example and notes.example accounts can sign in here; yours is of other.example.')
  })

  it('says only of a provider that does not work that it does not', () => {
    const says = (reason: Parameters<typeof ui.signInRefusal>[0]['reason']) =>
      ui.signInRefusal({ reason, provider: 'Partner' }).text.includes('does not work')
    expect([says('unreachable'), says('client_rejected')]).toEqual([true, true])
    expect([says('response_invalid'), says('provider_denied'), says('email_missing')]).toEqual([
      false,
      false,
      false,
    ])
  })
})
