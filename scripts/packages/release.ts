import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { type Packed, packAll, run } from './publishable.ts'

const USAGE = `pnpm release

Packs every package and lists what the release workflow would publish. It publishes nothing.`

readCommandLine(USAGE, {})
const folder = mkdtempSync(join(tmpdir(), 'grantkit-release-'))
const rows = packAll(folder).map(rowOf)
rmSync(folder, { recursive: true })
console.table(Object.assign({}, ...rows))

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
