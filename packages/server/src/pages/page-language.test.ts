import { describe, expect, it } from 'vitest'
import { de } from './languages/de.ts'
import { en, type ServerTexts } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { ja } from './languages/ja.ts'
import { ptBR } from './languages/pt-BR.ts'

const OTHERS = { de, es, fr, ja, 'pt-BR': ptBR }

function textsOf(language: ServerTexts): Map<string, string> {
  const textsIn = (group: object, path: string): [string, string][] =>
    Object.entries(group).flatMap(([name, text]) =>
      typeof text === 'string' ? [[`${path}${name}`, text]] : textsIn(text, `${path}${name}.`),
    )
  return new Map(textsIn(language, ''))
}

const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort().join(' ')

describe.each(Object.entries(OTHERS))('the texts of the server in %s', (tag, language) => {
  const texts = textsOf(language)

  it('have the placeholders of the English ones', () => {
    const english = [...textsOf(en)]
    expect([...texts].map(([name, text]) => [name, placeholders(text)]).sort()).toEqual(
      english.map(([name, text]) => [name, placeholders(text)]).sort(),
    )
  })

  it('are those of no other language', () => {
    const all: Readonly<Record<string, ServerTexts>> = { en, ...OTHERS }
    for (const [other, its] of Object.entries(all).filter(([name]) => name !== tag)) {
      // Neighbours share a word or two, as Spanish and Portuguese do.
      const same = [...textsOf(its)].filter(([name, text]) => text.length > 30 && texts.get(name) === text)
      expect(same, `as in ${other}`).toEqual([])
    }
  })
})

it('the French texts have no-break spaces around their punctuation', () => {
  for (const [name, text] of textsOf(fr)) expect(text, name).not.toMatch(/ [:;?!»]|« /)
})
