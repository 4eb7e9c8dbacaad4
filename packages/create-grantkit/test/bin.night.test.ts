import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { projectsFolder } from './projects.ts'

const BIN = join(import.meta.dirname, '../src/bin.ts')
const { path, remove } = projectsFolder()
afterAll(remove)

/** As npm runs it, without a terminal. */
function run(...args: string[]): Promise<{ status: unknown; output: string; complaint: string }> {
  return new Promise((ended) => {
    execFile(process.execPath, [BIN, ...args], { cwd: path }, (error, output, complaint) =>
      ended({ status: error?.code ?? 0, output, complaint }),
    )
  })
}

describe('npm create grantkit', () => {
  it('writes the defaults, and says what to run and where the session goes, without a secret', async () => {
    const { status, output } = await run('notes', '--yes', '--features', 'openid')
    expect(status).toBe(0)
    expect(readdirSync(join(path, 'notes'))).toHaveLength(9)
    expect(output).toMatch(/cd notes\n(.*\n)*npm install\nnpm start\n$/)
    expect(output).toContain('until interaction.ts has your session.')
    expect(output).not.toMatch(/[\w-]{40}/)
  })

  it('asks nothing if the arguments answer every question', async () => {
    const program = ['--app=mcp', '--name=Notes', '--framework=hono', '--store=memory', '--pages=own']
    const answers = [...program, '--features=none']
    expect(await run('answered', ...answers)).toMatchObject({ status: 0, complaint: '' })
  })

  it('ends with 1 and one line when it refuses', async () => {
    const complaint =
      '--store: "rediss" is unknown. Did you mean redis? Known: memory, sqlite, postgres, redis, durable-objects.\n'
    expect(await run('x', '--yes', '--store', 'rediss')).toEqual({ status: 1, output: '', complaint })
  })

  it('prints its usage', async () => {
    expect(await run('--help')).toMatchObject({ status: 0, output: expect.stringContaining('--framework') })
  })
})
