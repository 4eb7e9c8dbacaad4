/** Records have camelCase names, as TypeScript spells them; messages have snake_case ones, as RFCs do. Values stay as they are. */

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

export type CamelCased<Members> = { [Name in keyof Members as CamelCase<Name & string>]: Members[Name] }

/** Names are those of schemas, so they are few: a registration would spend a third of its work on spelling. */
const camelCases = new Map<string, string>()

export function camelCase(name: string): string {
  const known = camelCases.get(name)
  if (known !== undefined) return known
  const spelled = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  camelCases.set(name, spelled)
  return spelled
}

export function camelCased<Members extends object>(members: Members): CamelCased<Members> {
  return renamed(members, camelCase) as CamelCased<Members>
}

export function snakeCased(members: object): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function renamed(members: object, rename: (name: string) => string): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const name in members) named[rename(name)] = members[name as keyof typeof members]
  return named
}
