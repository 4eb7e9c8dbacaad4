/**
 * `pnpm tarballs [folder]` makes a folder to install from, as long as no registry has the packages. It prints the
 * command that installs from there what the start needs.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { packAll } from './publishable.ts'

const START = ['@grantkit/core', '@grantkit/store-memory', '@grantkit/adapter-fastify']

const folder = resolve(process.argv[2] ?? 'tarballs')
mkdirSync(folder, { recursive: true })
const packed = packAll(folder)
const start = packed.filter(({ manifest }) => START.includes(manifest.name)).map(({ tarball }) => tarball)

console.log(`${packed.length} tarballs are in ${folder}. Name the file where a page installs the package:

npm install ${start.join(' ')} fastify`)
