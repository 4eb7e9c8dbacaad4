/** A folder to install the packages from, as long as no registry has them. */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { packAll } from './publishable.ts'

const USAGE = `pnpm tarballs [--into <folder>]

Builds and packs every package, and prints the command that installs from there what the start needs.

  --into  tarballs if left out`

const START = ['@grantkit/core', '@grantkit/store-memory', '@grantkit/adapter-fastify']

const { values } = readCommandLine(USAGE, { options: { into: { type: 'string', default: 'tarballs' } } })
const folder = resolve(values.into)
mkdirSync(folder, { recursive: true })
const packed = packAll(folder)
const start = packed.filter(({ manifest }) => START.includes(manifest.name)).map(({ tarball }) => tarball)

console.log(`${packed.length} tarballs are in ${folder}. Where a page installs a package, name its file:

npm install ${start.join(' ')} fastify`)
