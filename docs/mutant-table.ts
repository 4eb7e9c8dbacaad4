/** The tables of docs/mutants.md: the counts that `pnpm --dir proof mutants` keeps, and the faults in SQL and Lua. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Counts } from '../proof/mutants/counts.ts'
import { MODULES } from '../proof/mutants/modules.ts'
import { STATEMENT_MUTANTS } from '../proof/mutants/statement-mutants.ts'

interface Kept extends Counts {
  readonly day: string
  readonly commit: string
}

export function mutantTable(): string {
  const kept: Readonly<Record<string, Kept>> = JSON.parse(
    readFileSync(join(import.meta.dirname, 'mutants.json'), 'utf8'),
  )
  return [
    '| Module | Score | Asked | Mutants | Killed | Survived | Never ended | Exempt | Day | Commit |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---|---|',
    ...MODULES.map(({ name, least }) => row(name, least, kept[name])),
  ].join('\n')
}

function row(name: string, least: number, counts: Kept | undefined): string {
  if (counts === undefined) return `| \`${name}\` | not run yet | ${least} % | | | | | | | |`
  const { score, mutants, killed, survived, timedOut, exempt, day, commit } = counts
  const numbers = [mutants, killed, survived, timedOut, exempt].join(' | ')
  return `| \`${name}\` | ${score} % | ${least} % | ${numbers} | ${day} | \`${commit}\` |`
}

export function statementTable(): string {
  return [
    '| Store | Fault |',
    '|---|---|',
    ...STATEMENT_MUTANTS.map(({ store, fault }) => `| ${store} | ${fault} |`),
  ].join('\n')
}
