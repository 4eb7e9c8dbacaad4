import { describe, expect, it } from 'vitest'
import { html, pages } from '../src/index.ts'
import * as included from '../src/languages/index.ts'

const ui = pages({ brand: { name: 'Notes' } })
const notice = (locale?: string) =>
  String(
    ui.stepUpNotice({ locale, account: '/account?a=1&b=2', form: (button) => html`<form>${button}</form>` }),
  )

describe('the notice that a password is not enough', () => {
  it.each(Object.values(included))('is in $name, also on a page in another language', ({ tag, stepUp }) => {
    const shown = notice(tag)
    for (const text of [stepUp.title, stepUp.reason, stepUp.button, stepUp.unsupported])
      expect(shown).toContain(text)
    expect(shown.match(/<(?:p|button) [^>]*lang="[^"]+"/g)).toHaveLength(4)
    expect(new Set(shown.match(/lang="[^"]+"/g))).toEqual(new Set([`lang="${tag}"`]))
  })

  it('has the button inside the form, and a link to the page where the user adds a passkey', () => {
    const shown = notice('en')
    expect(shown).toMatch(/<form><button class="primary"[^>]*>Sign in with a passkey<\/button><\/form>/)
    expect(shown).toContain('Add one in <a href="/account?a=1&amp;b=2">your account</a>, then')
  })

  it('is in the first language without a known one', () => {
    expect([notice(), notice('tlh')]).toEqual([notice('en'), notice('en')])
  })
})
