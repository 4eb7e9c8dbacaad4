import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPLATES = join(import.meta.dirname, '../templates')

/** `import … // if: device`, `… // if-not: device`, at the end of a line. */
const CONDITION = / ?\/\/ (?<kind>if|if-not): (?<choice>[\w-]+)$/

/** A template whose conditional lines are there, without their conditions, if their choice is. */
export function fromTemplate(file: string, chosen: readonly string[]): string {
  return readTemplate(file)
    .split('\n')
    .flatMap((line) => {
      const { kind, choice = '' } = CONDITION.exec(line)?.groups ?? {}
      if (kind === undefined) return [line]
      return chosen.includes(choice) === (kind === 'if') ? [line.replace(CONDITION, '')] : []
    })
    .join('\n')
}

export function readTemplate(file: string): string {
  return readFileSync(join(TEMPLATES, file), 'utf8')
}
