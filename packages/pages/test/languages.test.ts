import { describe, expect, it } from 'vitest'
import { type Language, pages } from '../src/index.ts'
import { ago } from '../src/language.ts'
import * as included from '../src/languages/index.ts'
import { consentView } from './shown-pages.ts'

const BRAND = { name: 'Notes' }
const { en, de } = included

/** Texts of more than a word or two, by their names: neighbours share those, as Spanish and Portuguese "Continuar". */
function textsOf(texts: object, path = ''): Map<string, string> {
  const found = Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    if (typeof text === 'object') return [...textsOf(text, `${path}${name}.`)]
    return typeof text === 'string' && text.length > 30 ? [[path + name, text]] : []
  })
  return new Map(found)
}

describe.each(Object.values(included))('the language $name', (language) => {
  it('has every text of English, with the same placeholders', () => {
    // Given as an object, a language is checked.
    expect(() => pages({ brand: BRAND, languages: [{ ...language }] })).not.toThrow()
  })

  it('has each form of a count that its plural rules ask for', () => {
    const forms = new Intl.PluralRules(language.tag).resolvedOptions().pluralCategories
    const { permissions } = language.scopes
    // French, Spanish and Portuguese say "many" of millions.
    expect(Object.keys(permissions).sort()).toEqual(forms.filter((form) => form !== 'many').sort())
  })

  it('has texts of no other language', () => {
    const texts = textsOf(language)
    for (const other of Object.values(included).filter(({ tag }) => tag !== language.tag)) {
      const same = [...textsOf(other)].filter(([name, text]) => texts.get(name) === text)
      expect(same, `as in ${other.name}`).toEqual([])
    }
  })

  it('says on the button for reading what a screen reader says', () => {
    const { allowReadingOnly, readingOnly } = language.decision
    expect(allowReadingOnly.toLowerCase()).toContain(readingOnly.toLowerCase())
  })
})

it.each([
  [0, 'now'],
  [20, '20 seconds ago'],
  [130, '2 minutes ago'],
])('says of %i seconds "%s"', (seconds, text) => {
  expect(ago(en, seconds)).toBe(text)
})

describe('a language of your own', () => {
  it('replaces texts of an included one', async () => {
    const changed: Language = { ...de, consent: { ...de.consent, title: 'Zugang erlauben?' } }
    const page = await pages({ brand: BRAND, languages: [changed] }).interaction.consentPage(
      consentView('de'),
    )
    expect(page.body).toContain('<h1>Zugang erlauben?</h1>')
  })

  it.each([
    [{ ...en, tag: 'eo', logout: { ...en.logout, askedByLink: 'Ligilo de {brnd}' } }, 'logout.askedByLink'],
    [{ ...en, tag: 'eo', logout: { ...en.logout, askedByLink: 'Ligilo' } }, 'logout.askedByLink'],
    [{ ...en, tag: 'eo', consent: { ...en.consent, title: '' } }, 'consent.title'],
    [{ ...en, tag: 'eo', scopes: { ...en.scopes, permissions: { other: 'multaj' } } }, 'scopes.permissions'],
  ])('is refused with a text that lacks what the English one has', (language, path) => {
    expect(() => pages({ brand: BRAND, languages: [language] })).toThrow(path)
  })

  it('is refused by a name that is not included', () => {
    // A caller without types.
    const languages = ['eo'] as unknown as ['en']
    expect(() => pages({ brand: BRAND, languages })).toThrow(
      'languages: eo is not included. These are: en, de',
    )
  })
})

describe('the language of a page', () => {
  it('is the one that core chose', async () => {
    const ui = pages({ brand: BRAND, languages: ['en', 'de'] })
    expect((await ui.interaction.consentPage(consentView('de'))).body).toContain('<html lang="de" dir="ltr">')
  })

  it('is the first one if core knows none of them', async () => {
    const ui = pages({ brand: BRAND, languages: ['de', 'fr'] })
    expect((await ui.interaction.consentPage(consentView('en'))).body).toContain('<html lang="de"')
  })

  it('is among those that the server publishes', () => {
    expect(pages({ brand: BRAND, languages: ['ja', 'en'] }).interaction.uiLocales).toEqual(['ja', 'en'])
  })
})
