/** Members of a client, with the names of RFC 7591 in camelCase, as TypeScript spells them, or as the RFC does. */
type Members = Readonly<Record<string, unknown>>

export function camelCased(members: Members): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
}

export function snakeCased(members: Members): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function renamed(members: Members, newName: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [newName(name), value]))
}
