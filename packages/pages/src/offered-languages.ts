import type { Language } from './language.ts'
import { de, en, es, fr, ja, ptBR } from './languages/index.ts'

const INCLUDED = { en, de, fr, es, 'pt-BR': ptBR, ja } as const

export type LanguageName = keyof typeof INCLUDED

/**
 * The languages of the pages, the default first.
 *
 * @throws Error that names the text at fault, if a text of an own language lacks a placeholder of the English one
 */
export function offeredLanguages(
  languages: readonly (LanguageName | Language)[] = Object.values(INCLUDED),
): readonly Language[] {
  if (languages.length === 0) throw new Error('languages: the pages need one')
  return languages.map((language) => (typeof language === 'string' ? included(language) : checked(language)))
}

function included(name: LanguageName): Language {
  if (Object.hasOwn(INCLUDED, name)) return INCLUDED[name]
  throw new Error(`languages: ${name} is not included. These are: ${Object.keys(INCLUDED).join(', ')}`)
}

function checked(language: Language): Language {
  const texts = new Map(textsOf(language))
  for (const [path, english] of textsOf(en)) {
    const text = texts.get(path)
    if (text === undefined || text === '') throw new Error(`The language ${language.tag} has no text ${path}`)
    const [here, there] = [placeholders(text), placeholders(english)]
    if (here !== there)
      throw new Error(`${path} of the language ${language.tag} must have ${there}, and has ${here}`)
  }
  return language
}

/** Of a plural the form `other` alone: each language has its own others. */
function textsOf(texts: object, path = ''): [path: string, text: string][] {
  return Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    if (typeof text === 'string') return [[path + name, text]]
    if (typeof text !== 'object' || text === null) return []
    if ('other' in text) return [[path + name, String(text.other)]]
    return textsOf(text, `${path}${name}.`)
  })
}

function placeholders(text: string): string {
  const found = [...new Set(text.match(/\{\w+\}/g))].sort()
  return found.length === 0 ? 'no placeholder' : found.join(' ')
}
