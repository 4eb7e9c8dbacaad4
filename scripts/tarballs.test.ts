import { expect, it } from 'vitest'
import { withNeededPackages } from './packages/publishable.ts'

const needed = (...names: readonly string[]) => withNeededPackages(names).map(({ manifest }) => manifest.name)

it('`pnpm tarballs` packs a package alone that needs no other', () => {
  expect(needed('@grantkit/core', 'fastify')).toEqual(['@grantkit/core'])
})

it('`pnpm tarballs` packs what the named packages need, each once', () => {
  expect(needed('@grantkit/doctor', '@grantkit/core')).toEqual([
    '@grantkit/core',
    '@grantkit/doctor',
    '@grantkit/explain',
    '@grantkit/known-clients',
    '@grantkit/safe-fetch',
    '@grantkit/store-memory',
  ])
})
