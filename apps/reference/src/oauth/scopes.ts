import type { ScopeDefinition } from '@grantkit/core'
import type { LocalizedText } from '@grantkit/core/internal'
import { STANDARD_SCOPES } from '@grantkit/server'
import { de } from './scope-texts/de.ts'
import { en, type ScopeTexts } from './scope-texts/en.ts'
import { es } from './scope-texts/es.ts'
import { fr } from './scope-texts/fr.ts'
import { ja } from './scope-texts/ja.ts'
import { ptBR } from './scope-texts/pt-BR.ts'

type Areas = typeof en.areas
export type AreaName = keyof Areas
type ScopesOf<Name extends AreaName> = Name extends unknown
  ? `${Name}:${Extract<keyof Areas[Name], 'read' | 'write'>}`
  : never
/** The 38 scopes of the service. */
export type Scope = keyof typeof STANDARD_SCOPES | ScopesOf<AreaName>

/** An area of the school's API. Its name is the first half of its scopes and the path below `/api/`. */
interface Area {
  readonly name: AreaName
  readonly title: string
  /** Absent if there is no such scope. */
  readonly read?: string
  readonly write?: string
  /**
   * A catalogue: published records are public, its read scope is a baseline scope, and client-credentials tokens may
   * have its scopes. Every other area belongs to users, and needs a signed-in user.
   */
  readonly catalogue: boolean
}

const CATALOGUE = new Set<string>([
  ...(['courses', 'events', 'membership_plans', 'posts'] satisfies AreaName[]),
  ...(['digital_products', 'lecturers', 'pages'] satisfies AreaName[]),
])

/** The areas with their texts in English. */
export const areas: readonly Area[] = Object.entries(en.areas).map(([name, area]) => ({
  ...area,
  name: name as AreaName,
  catalogue: CATALOGUE.has(name),
}))

export function scopeOf(area: AreaName, access: 'read' | 'write'): Scope {
  return `${area}:${access}` as Scope
}

/** All scopes, with the texts of the consent page. */
export const SCOPES = Object.fromEntries([
  ...Object.entries(STANDARD_SCOPES),
  ...areas.flatMap((area) => (['read', 'write'] as const).flatMap((access) => scopeOfArea(area, access))),
]) as Readonly<Record<Scope, ScopeDefinition>>

function scopeOfArea(
  { name, catalogue, ...texts }: Area,
  access: 'read' | 'write',
): [Scope, ScopeDefinition][] {
  if (texts[access] === undefined) return []
  const textsOf = ({ areas }: ScopeTexts): Partial<Record<'title' | 'read' | 'write', string>> => areas[name]
  const definition: ScopeDefinition = {
    description: inEveryLanguage((texts) => textsOf(texts)[access] ?? ''),
    area: inEveryLanguage((texts) => textsOf(texts).title ?? ''),
    access,
    ...(access === 'read' && { baseline: catalogue }),
    user: !catalogue,
    personal: catalogue || name === 'analytics',
  }
  return [[scopeOf(name, access), definition]]
}

function inEveryLanguage(text: (texts: ScopeTexts) => string): LocalizedText {
  const languages = Object.entries({ en, de, fr, es, 'pt-BR': ptBR, ja })
  return Object.fromEntries(languages.map(([tag, texts]) => [tag, text(texts)]))
}
