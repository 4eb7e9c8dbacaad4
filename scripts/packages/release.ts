import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { type Packed, packAll, run } from './publishable.ts'

const USAGE = `pnpm release [--into <folder>]

Packs every package and lists what the release workflow would publish. It publishes nothing.

  --into  keeps the tarballs there, with SHA256SUMS and the CycloneDX SBOM of each package`

const { values } = readCommandLine(USAGE, { options: { into: { type: 'string' } } })
const folder =
  values.into === undefined ? mkdtempSync(join(tmpdir(), 'grantkit-release-')) : resolve(values.into)
mkdirSync(folder, { recursive: true })
const packed = packAll(folder)
console.table(Object.assign({}, ...packed.map(rowOf)))
if (values.into === undefined) rmSync(folder, { recursive: true })
else {
  writeFileSync(join(folder, 'SHA256SUMS'), packed.map(sumOf).join(''))
  writeSboms(packed)
}

/** As the registry would get it: the manifest of the tarball. */
function rowOf({ tarball }: Packed): Record<string, object> {
  const { name, version, publishConfig } = JSON.parse(run('tar', ['-xOzf', tarball, 'package/package.json']))
  const files = run('tar', ['-tzf', tarball]).trim().split('\n')
  const changelog = files.includes('package/CHANGELOG.md')
  const kilobytes = Math.ceil(statSync(tarball).size / 1000)
  return {
    [name]: { version, files: files.length, kilobytes, changelog, provenance: publishConfig.provenance },
  }
}

/** A line that `sha256sum --check` reads. */
function sumOf({ tarball }: Packed): string {
  return `${createHash('sha256').update(readFileSync(tarball)).digest('hex')}  ${basename(tarball)}\n`
}

function writeSboms(packed: readonly Packed[]): void {
  const filters = packed.map(({ manifest }) => `--filter=${manifest.name}`)
  const format = ['--sbom-format=cyclonedx', '--split', '--prod', '--lockfile-only']
  run('pnpm', ['sbom', ...format, `--out=${join(folder, '%s.cdx.json')}`, ...filters])
}
