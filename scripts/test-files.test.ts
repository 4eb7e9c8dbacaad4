import { execFileSync } from 'node:child_process'
import { relative } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './packages/publishable.ts'

/** An operator runs it against an engine of their own. */
const BY_HAND = 'packages/store-postgres/scripts/engine.test.ts'

it('every test file belongs to a project of vitest', () => {
  const kept = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' })
  const vitest = `${ROOT}/node_modules/vitest/vitest.mjs`
  const listed = execFileSync(process.execPath, [vitest, 'list', '--filesOnly', '--json'], { cwd: ROOT })
  const run = new Set(
    (JSON.parse(String(listed)) as { file: string }[]).map(({ file }) => relative(ROOT, file)),
  )
  const left = kept.split('\n').filter((file) => file !== '' && !run.has(file))
  expect(left).toEqual([BY_HAND])
})
