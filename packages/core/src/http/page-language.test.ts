import { describe, expect, it } from 'vitest'
import { pageView } from './page-language.ts'

const OFFERED = ['en', 'de', 'fr', 'pt-BR', 'ja']

function localeOf(acceptLanguage?: string, ui_locales?: string | string[], uiLocales = OFFERED): string {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  const request = { method: 'GET', path: '/', query: '', headers, body: '' }
  return pageView({ uiLocales }, request, ui_locales === undefined ? {} : { ui_locales }).locale
}

describe('the language of a page, by what the browser accepts', () => {
  it.each([
    ['no header', undefined, 'en'],
    ['an empty header', '', 'en'],
    ['a language that is offered', 'de', 'de'],
    ['a region of one that is offered', 'de-AT', 'de'],
    ['a script and region of one that is offered', 'de-Latn-AT', 'de'],
    ['a language of which one region is offered', 'pt', 'pt-BR'],
    ['another region of it', 'pt-PT', 'pt-BR'],
    ['other letters', 'PT-br', 'pt-BR'],
    ['a longer language that begins alike', 'deu, fr', 'fr'],
    ['the first of two', 'fr, de', 'fr'],
    ['the weightiest, wherever it is', 'fr;q=0.3, ja;q=0.9, de;q=0.5', 'ja'],
    ['no weight is the full weight', 'fr;q=0.9, de', 'de'],
    ['equal weights in their order', 'ja;q=0.5, fr;q=0.5', 'ja'],
    ['spaces around a weight', ' fr ; q=0.3 , de ; q=0.8 ', 'de'],
    ['a weight of zero excludes a language', 'de;q=0, fr;q=0.1', 'fr'],
    ['nothing that is offered', 'xx, yy-ZZ', 'en'],
    ['the next one, if the first is not offered', 'nl, fr;q=0.8', 'fr'],
    ['any language', '*', 'en'],
    ['any language, after one that is offered', 'fr, *;q=0.5', 'fr'],
    ['a weight of several digits', 'fr;q=0.9, de;q=0.95', 'de'],
    ['a weight without digits', 'fr;q=0.9, de;q=1', 'de'],
    ['nothing but an excluded language', 'de;q=0', 'en'],
    ['a list with faults in it', 'de;q=high, x ja, ;;, =, fr;q=0.2', 'fr'],
  ])('%s', (_, accepted, locale) => {
    expect(localeOf(accepted)).toBe(locale)
  })

  it('is the first that is offered, where nothing fits', () => {
    expect(localeOf('xx', undefined, ['ja', 'de'])).toBe('ja')
  })

  it('is en, where no language is configured', () => {
    const headers = { 'accept-language': 'de' }
    const request = { method: 'GET', path: '/', query: '', headers, body: '' }
    expect(pageView({}, request)).toEqual({ request, locale: 'en' })
  })
})

describe('the language of a page, by ui_locales of the client', () => {
  it.each([
    ['comes before what the browser accepts', 'de', 'fr', 'de'],
    ['is the first one that is offered', 'nl de fr', 'ja', 'de'],
    ['leaves it to the browser, where none is offered', 'nl', 'fr', 'fr'],
    ['finds a region', 'pt', 'fr', 'pt-BR'],
    ['with more than one space', ' de   fr', 'ja', 'de'],
  ])('%s', (_, requested, accepted, locale) => {
    expect(localeOf(accepted, requested)).toBe(locale)
  })

  it('counts as none, if it is repeated', () => {
    expect(localeOf('fr', ['de', 'ja'])).toBe('fr')
  })

  it('reads the first 500 characters, so that no list takes long', () => {
    expect(localeOf('fr', `${'x-'.repeat(300)} de`)).toBe('fr')
    expect(localeOf(`${'x-'.repeat(300)}, de`)).toBe('en')
  })
})
