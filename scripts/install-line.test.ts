import { expect, it } from 'vitest'
import { installLine } from './packages/install-line.ts'
import type { Packed } from './packages/publishable.ts'

const packed = (name: string, manifest: Partial<Packed['manifest']> = {}): Packed => ({
  folder: '',
  tarball: `/tarballs/${name}.tgz`,
  manifest: { name, ...manifest },
})
const PACKED = [
  packed('core', { dependencies: { zod: '^4' } }),
  packed('store', { peerDependencies: { core: '^0.0.0' } }),
  packed('doctor', { dependencies: { store: '^0.0.0' } }),
]

it.each([
  ['a package', ['core'], 'npm install /tarballs/core.tgz'],
  ['what a registry has, as it is', ['core', 'fastify'], 'npm install /tarballs/core.tgz fastify'],
  ['what a package needs, too', ['store'], 'npm install /tarballs/store.tgz /tarballs/core.tgz'],
  [
    'what these need, once',
    ['doctor', 'core'],
    'npm install /tarballs/doctor.tgz /tarballs/store.tgz /tarballs/core.tgz',
  ],
])('names %s', (_, words, line) => {
  expect(installLine(PACKED, words)).toBe(line)
})
