import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import config from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '..')

/** What starts another process, or may. */
const PROCESSES = /from '(node:child_process|@grantkit\/test-servers\/(?!free-port'))/

it('the tests of `pnpm check` start no process: one that does belongs to WITH_PARTS in vitest.config.ts', () => {
  const unit = config.test?.projects?.find(isUnit)
  const { include = [], exclude = [] } = unit?.test ?? {}
  const files = globSync(include, { cwd: ROOT, exclude })
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((file) => PROCESSES.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
})

interface Project {
  test: { name: string; include: string[]; exclude: string[] }
}

function isUnit(project: unknown): project is Project {
  return (project as Project).test.name === 'unit'
}
