/** Records have camelCase names, as TypeScript spells them; messages have snake_case ones, as RFCs do. Values stay as they are. */

export function camelCased<Value>(members: Readonly<Record<string, Value>>): Record<string, Value> {
  return renamed(members, (name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
}

export function snakeCased<Value>(members: Readonly<Record<string, Value>>): Record<string, Value> {
  return renamed(members, snakeCase)
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function renamed<Value>(
  members: Readonly<Record<string, Value>>,
  rename: (name: string) => string,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [rename(name), value]))
}
