/** What a Worker or an API uploads, and reads at each start, as one minified file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const MAX_BYTES = 294_000
const MAX_GZIPPED_BYTES = 99_800

const SERVER = `
export { createAuthorizationServer, createResourceServer } from '@grantkit/core'
export { authorizationServer, protect } from '@grantkit/adapter-hono'
export { Hono } from 'hono'
`

/** By path: the stores depend on this package in their tests. */
const EDGE_STORES = ['store-cloudflare'].flatMap(entriesOf)

describe('the bundle of a Worker', () => {
  it.each([
    ['core and Hono', SERVER],
    ...EDGE_STORES.map((entry) => [`core, Hono and ${entry}`, `${SERVER}export * from '../../${entry}'`]),
  ])('is small: %s', async (_, code = '') => {
    const bundle = await bundleOf(code)
    expect(bundle.byteLength).toBeLessThanOrEqual(MAX_BYTES)
    expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(MAX_GZIPPED_BYTES)
  })
})

it('all of core is small, as are the parts of features that a server without them has', async () => {
  expect((await bundleOf(`export * from '@grantkit/core'`)).byteLength).toBeLessThanOrEqual(261_600)
})

/** What an API uploads that has no authorization server: the guard alone, with an adapter, and without a store. */
const GUARDS: readonly [name: string, code: string, most: number][] = [
  ['the guard with a store', `export * from '@grantkit/core/guard'`, 23_500],
  [
    'the guard with a store, on Hono',
    `export * from '@grantkit/core/guard'
    export { protect } from '@grantkit/adapter-hono'
    export { Hono } from 'hono'`,
    45_000,
  ],
  ['the guard without a store', `export * from '@grantkit/core/jwt-resource-server'`, 144_000],
]

describe('the bundle of an API', () => {
  it.each(GUARDS)('is small: %s', async (_, code, most) => {
    expect((await bundleOf(code)).byteLength).toBeLessThanOrEqual(most)
  })
})

/** `neutral` knows no runtime: an import of Node without its prefix, or a package that is only for Node, fails. */
async function bundleOf(code: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    platform: 'neutral',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    bundle: true,
    minify: true,
    write: false,
  })
  return Buffer.concat(outputFiles.map(({ contents }) => contents))
}

/** The files that a package exports, from the folder of all packages. */
function entriesOf(name: string): string[] {
  const folder = join(import.meta.dirname, '../..', name)
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.values<string>(exports).map((file) => join(name, file))
}
