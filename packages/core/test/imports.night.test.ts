import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** A start is spent on the number of files: each takes some 0.3 ms, whatever is in it. */
async function packagesLoadedBy(entry: string): Promise<string[]> {
  const program = join(import.meta.dirname, 'imports/packages-loaded.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, entry])
  return JSON.parse(stdout)
}

it('importing core loads no package but zod: jose is loaded with the first signature', async () => {
  expect(await packagesLoadedBy('@grantkit/core')).toEqual(['zod'])
})

it.each(['@grantkit/core/guard', '@grantkit/core/adapter'])(
  'importing %s loads no package',
  async (entry) => {
    expect(await packagesLoadedBy(entry)).toEqual([])
  },
)

it('importing the guard without the store loads zod and jose', async () => {
  expect((await packagesLoadedBy('@grantkit/core/jwt-resource-server')).toSorted()).toEqual(['jose', 'zod'])
})
