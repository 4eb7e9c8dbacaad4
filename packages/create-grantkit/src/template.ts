import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPLATES = join(import.meta.dirname, '../templates')

/** `import … // if: device`, `… # if-not: device`, at the end of a line; one after another, if all of them count. */
const CONDITION = / ?(?:\/\/|#) (?<kind>if|if-not): (?<choice>[\w-]+)$/

/** What stands in a template between double braces. */
export type Values = Readonly<Record<string, string | undefined>>

/** A template whose conditional lines are there, without their conditions, if their choice is. */
export function fromTemplate(file: string, chosen: readonly string[], values: Values = {}): string {
  return readFileSync(join(TEMPLATES, file), 'utf8')
    .split('\n')
    .flatMap((line) => lineFor(line, chosen))
    .join('\n')
    .replaceAll(/\{\{(\w+)\}\}/g, (_, key) => values[key] ?? '')
}

function lineFor(line: string, chosen: readonly string[]): string[] {
  const { kind, choice = '' } = CONDITION.exec(line)?.groups ?? {}
  if (kind === undefined) return [line]
  return chosen.includes(choice) === (kind === 'if') ? lineFor(line.replace(CONDITION, ''), chosen) : []
}

/** A text between single quotes, as Biome and Prettier write it. */
export function quotable(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
}
