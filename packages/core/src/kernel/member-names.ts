/** Records have camelCase names, as TypeScript spells them; messages have snake_case ones, as RFCs do. Values stay as they are. */

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

export type CamelCased<Members> = { [Name in keyof Members as CamelCase<Name & string>]: Members[Name] }

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

export function camelCased<Members extends object>(members: Members): CamelCased<Members> {
  return renamed(members, camelCase) as CamelCased<Members>
}

export function snakeCased(members: object): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function renamed(members: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [rename(name), value]))
}
