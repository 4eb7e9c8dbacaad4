import { describe, expect, it } from 'vitest'
import { checkLanguages, inLanguage } from './display-text.ts'

describe('a text in the language of a page', () => {
  const TEXTS = { ja: 'ノート', 'pt-BR': 'Notas', de: 'Notizen' }

  it.each([
    ['in that language', 'de', [], 'Notizen'],
    ['in the language of that region', 'de-CH', [], 'Notizen'],
    ['in a region of that language', 'pt', [], 'Notas'],
    ['in the first fallback that has a text', 'fr', ['en', 'de', 'ja'], 'Notizen'],
    ['the first one, where no fallback has a text', 'fr', ['en'], 'ノート'],
  ])('is %s', (_, locale, fallbacks, text) => {
    expect(inLanguage(TEXTS, locale, fallbacks)).toBe(text)
  })

  it('is a text without languages as it is', () => {
    expect(inLanguage('Notes', 'de', ['de'])).toBe('Notes')
  })
})

it.each([
  [[], 'scopes must have a language'],
  [['en', 'de_DE'], 'scopes: "de_DE" is no language tag, such as en or pt-BR'],
  [['english please'], 'scopes: "english please" is no language tag, such as en or pt-BR'],
])('a list of languages is refused by name: %j', (tags, error) => {
  expect(() => checkLanguages('scopes', tags)).toThrow(error)
})
