import { join } from 'node:path'
import { expect, it } from 'vitest'
import reference from '../apps/reference/package.json' with { type: 'json' }
import type { RanCommand } from '../apps/reference/test/command.ts'
import { run } from '../apps/reference/test/program.ts'
import workspace from '../package.json' with { type: 'json' }
import proof from '../proof/package.json' with { type: 'json' }

/** The programs that a manifest starts, but not the benchmarks, which need packages of their own. */
const programsOf = (folder: string, scripts: Readonly<Record<string, string>>) =>
  Object.entries(scripts).flatMap(([name, script]) => {
    const [, program] = /\bnode (\S+\.ts)$/.exec(script) ?? []
    return program === undefined || name.startsWith('bench') ? [] : [join(folder, program)]
  })
const PROGRAMS = [
  ...programsOf('', workspace.scripts),
  ...programsOf('apps/reference', reference.scripts),
  ...programsOf('proof', proof.scripts),
]

async function printedBy(program: string, option: string): Promise<RanCommand> {
  const running = run(`../../../${program}`, [option])
  return { status: (await running.ended) ?? -1, output: running.output() }
}

it.each([...new Set(PROGRAMS)])(
  '%s prints its usage for --help, and an error with the usage for an unknown option',
  async (program) => {
    const help = await printedBy(program, '--help')
    const misspelt = await printedBy(program, '--hepl')
    expect(help.status, help.output).toBe(0)
    expect(misspelt.status, misspelt.output).toBe(2)
    expect(help.output).toMatch(/^(USAGE )?(npx|pnpm|DATABASE_URL=\S+ pnpm) /m)
    expect(misspelt.output).toMatch(/^Unknown option '--hepl'\./)
    expect(misspelt.output).toContain(`\n\n${help.output}`)
  },
)
