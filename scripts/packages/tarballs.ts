/** A folder to install the packages from, as long as no registry has them. */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { installLine } from './install-line.ts'
import { packAll } from './publishable.ts'

const USAGE = `pnpm tarballs [<package> ...] [--into <folder>]

Builds and packs every package, and prints the command that installs from there what a page of the documentation
installs. Name the packages of a page; default: the packages of docs/start.md.

  --into  tarballs if left out`

const START = [
  '@grantkit/core',
  '@grantkit/store-memory',
  '@grantkit/pages',
  '@grantkit/adapter-fastify',
  'fastify',
]

const { values, positionals } = readCommandLine(USAGE, {
  options: { into: { type: 'string', default: 'tarballs' } },
  allowPositionals: true,
})
const folder = resolve(values.into)
mkdirSync(folder, { recursive: true })
const packed = packAll(folder)

console.log(`${packed.length} tarballs are in ${folder}. Instead of what a page installs:

${installLine(packed, positionals.length > 0 ? positionals : START)}`)
