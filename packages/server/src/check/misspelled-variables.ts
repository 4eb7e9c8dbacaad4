import { closest, distance } from 'fastest-levenshtein'
import { knownFields } from '../config/known-fields.ts'
import { variablesOf } from '../config/variables.ts'

/** Shorter names are near to too many others. */
const MIN_LENGTH = 8

/** Variables whose name is almost that of a variable of the server. The environment is shared, so they are no errors. */
export function misspelledVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = variablesOf(knownFields())
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || name.length < MIN_LENGTH) return []
    const near = closest(name, [...known])
    return distance(name, near) <= 2 ? [`${name} is set, and unknown: did you mean ${near}?`] : []
  })
}
