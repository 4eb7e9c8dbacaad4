/** A registry of our own gives what npm asks for, so that no release is needed. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { verifyPublished } from './verify.ts'

const folder = mkdtempSync(join(tmpdir(), 'grantkit-verify-'))
const tarball = join(folder, 'core.tgz')
writeFileSync(tarball, 'bytes of a tarball')
const integrity = `sha512-${createHash('sha512').update('bytes of a tarball').digest('base64')}`
const COMMIT = 'c'.repeat(40)

const registry = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? '')
  const body = path === '/attestations' ? ATTESTATIONS : metadataOf(path)
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? { error: 'not_found' }))
})
const base = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`

const statement = {
  predicate: { buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: COMMIT } }] } },
}
const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
const ATTESTATIONS = {
  attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle: { dsseEnvelope: { payload } } }],
}

function metadataOf(path: string): object | undefined {
  const dists: Record<string, object> = {
    '/@ours/same': { integrity, attestations: { url: `${base()}/attestations` } },
    '/@ours/other': { integrity: 'sha512-AAAA' },
  }
  const dist = dists[path]
  const name = path.slice(1)
  return (
    dist && {
      name,
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name, version: '1.0.0', dist } },
    }
  )
}

beforeAll(async () => {
  await new Promise<void>((listens) => registry.listen(0, '127.0.0.1', listens))
  vi.stubEnv('npm_config_registry', base())
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
})
afterAll(() => {
  vi.unstubAllEnvs()
  registry.close()
  rmSync(folder, { recursive: true })
})

const verify = (name: string, version = '1.0.0') =>
  verifyPublished([{ folder, tarball, manifest: { name, version, exports: {}, publishConfig: {} } }], version)

it('`tarballs --verify` finds a package with the same bytes, and the commit that its provenance names', async () => {
  expect(await verify('@ours/same')).toEqual([{ name: '@ours/same', tarball: 'same', commit: COMMIT }])
})

it('`tarballs --verify` tells a package with other bytes, and without provenance', async () => {
  expect(await verify('@ours/other')).toEqual([
    { name: '@ours/other', tarball: 'different', commit: undefined },
  ])
})

it.each([
  ['a package', '@ours/unknown', '1.0.0'],
  ['a version', '@ours/same', '2.0.0'],
])('`tarballs --verify` tells %s that is not published', async (_, name, version) => {
  expect(await verify(name, version)).toEqual([{ name, tarball: 'not published' }])
})
