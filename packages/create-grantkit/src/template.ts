import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPLATES = join(import.meta.dirname, '../templates')

/** `import … // if: device`, `… // if-not: device`, at the end of a line; one after another, if all of them count. */
const CONDITION = / ?\/\/ (?<kind>if|if-not): (?<choice>[\w-]+)$/

/** A template whose conditional lines are there, without their conditions, if their choice is. */
export function fromTemplate(file: string, chosen: readonly string[]): string {
  return readTemplate(file)
    .split('\n')
    .flatMap((line) => lineFor(line, chosen))
    .join('\n')
}

function lineFor(line: string, chosen: readonly string[]): string[] {
  const { kind, choice = '' } = CONDITION.exec(line)?.groups ?? {}
  if (kind === undefined) return [line]
  return chosen.includes(choice) === (kind === 'if') ? lineFor(line.replace(CONDITION, ''), chosen) : []
}

export function readTemplate(file: string): string {
  return readFileSync(join(TEMPLATES, file), 'utf8')
}

/** What stands in a template between double braces. */
export type Values = Readonly<Record<string, string>>

export function filled(template: string, values: Values): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => values[key] ?? '')
}
