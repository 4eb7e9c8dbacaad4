import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** A start is spent on the number of files: each takes some 0.3 ms, whatever is in it. */
it('importing core loads no package but zod: jose is loaded with the first signature', async () => {
  const program = join(import.meta.dirname, 'imports/packages-loaded.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(JSON.parse(stdout)).toEqual(['zod'])
})
