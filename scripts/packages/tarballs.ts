/** A folder to install the packages from, as long as no registry has them, or to compare with what a registry has. */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { installLine } from './install-line.ts'
import { type Packed, packAll, publishablePackages, run, withNeededPackages } from './publishable.ts'
import { verifyPublished } from './verify.ts'

const USAGE = `pnpm tarballs [<package> ...] [--all] [--into <folder>]
pnpm tarballs --verify <version>

Builds and packs packages with what they need, and prints the command that installs from there what a page of the
documentation installs. Name the packages of a page; default: the packages of README.md.

  --all     every package, for npm create grantkit
  --into    tarballs if left out
  --verify  packs every package, and compares each with this version in the registry: it must have the same bytes, and its
            provenance must name this commit`

const { values, positionals } = readCommandLine(USAGE, {
  options: {
    into: { type: 'string', default: 'tarballs' },
    all: { type: 'boolean', default: false },
    verify: { type: 'string' },
  },
  allowPositionals: true,
})
const folder = resolve(values.into)
mkdirSync(folder, { recursive: true })
const all = publishablePackages().map(({ manifest }) => manifest.name)
const packed = packedOrExit(values.all || values.verify ? all : positionals)

if (values.verify !== undefined) {
  const commit = run('git', ['rev-parse', 'HEAD']).trim()
  const rows = await verifyPublished(packed, values.verify)
  console.table(rows)
  const wrong = rows.filter((row) => row.tarball !== 'same' || row.commit !== commit)
  process.exit(wrong.length === 0 ? 0 : 1)
}

console.log(`${packed.length} tarballs are in ${folder}. Instead of what a page installs:

${installLine(packed, positionals)}`)

/** Prints the error of the build, without a stack trace of this script. */
function packedOrExit(names: readonly string[]): Packed[] {
  try {
    return packAll(folder, withNeededPackages(names))
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}
