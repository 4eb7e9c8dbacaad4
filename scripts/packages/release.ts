/** Publishes every package whose version no registry has yet, or says what it would publish. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { type Packed, packAll, ROOT, run } from './publishable.ts'

const USAGE = `pnpm release [--dry-run]

Builds and publishes the packages. Only the release workflow runs it.

  --dry-run  packs everything, says what would be published, and publishes nothing`

const { values } = readCommandLine(USAGE, { options: { 'dry-run': { type: 'boolean', default: false } } })
if (values['dry-run']) sayWhatWouldBePublished()
else publish()

function publish(): void {
  run('pnpm', ['build'])
  execFileSync('pnpm', ['exec', 'changeset', 'publish'], { cwd: ROOT, stdio: 'inherit' })
}

function sayWhatWouldBePublished(): void {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-release-'))
  const rows = packAll(folder).map(rowOf)
  rmSync(folder, { recursive: true })
  console.table(Object.assign({}, ...rows))
  console.log('Nothing was published.')
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
