import type { CheckId } from '../check-id.ts'

export interface Rerun {
  readonly issuer: string
  readonly check: CheckId
  readonly seed: string
  /** The other arguments of the run, without secrets. */
  readonly args?: readonly string[] | undefined
}

/** The command that runs one check with one seed again. */
export function rerunLine({ issuer, check, seed, args = [] }: Rerun): string {
  return ['npx @grantkit/torture', ...[issuer, '--only', check, '--seed', seed, ...args].map(quoted)].join(
    ' ',
  )
}

/** The command that judges one check of a history file again. */
export function recheckLine(path: string, check: CheckId): string {
  return ['npx @grantkit/torture check', quoted(path), '--only', check].join(' ')
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
