import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The commit of the previous release, for rolling upgrades. The next release puts its predecessor here. */
const PREVIOUS = 'f822eb93df369c26b005bbcb9e0b8b5be5d5d4ba'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

export interface PreviousRelease {
  /** Its sources, which can be run: with the packages that this release has installed. */
  readonly folder: string
  remove(): Promise<void>
}

/** @throws Error when the commit is neither here nor at the origin */
export async function previousRelease(): Promise<PreviousRelease> {
  const git = (...given: string[]) => run('git', ['-C', ROOT, ...given])
  // A shallow clone lacks it.
  await git('cat-file', '-e', PREVIOUS).catch(() => git('fetch', '--quiet', '--depth=1', 'origin', PREVIOUS))
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-previous-'))
  const archive = `git -C "${ROOT}" archive ${PREVIOUS} apps packages package.json | tar -x -C "${folder}"`
  await run('sh', ['-c', archive])
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const kind of ['apps', 'packages'])
    for (const name of await readdir(join(folder, kind))) await linkPackages(join(kind, name), folder)
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

/** The links are relative, so those to the packages of the workspace lead to the packages of that release. */
async function linkPackages(member: string, folder: string): Promise<void> {
  const links = join(member, 'node_modules')
  await cp(join(ROOT, links), join(folder, links), { recursive: true, verbatimSymlinks: true })
}
