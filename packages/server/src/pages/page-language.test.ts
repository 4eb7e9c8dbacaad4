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

/** Short texts that neighbours have in common, as Spanish and Portuguese: of more than a hundred. */
const SAME = 8

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
      const same = [...textsOf(its)].filter(
        ([name, text]) => texts.get(name) === text && /\p{L}{3}/u.test(text.replaceAll(/\{\w+\}/g, '')),
      )
      expect(same.length, `${tag} has these of ${other}: ${same.join('; ')}`).toBeLessThanOrEqual(SAME)
    }
  })
})
