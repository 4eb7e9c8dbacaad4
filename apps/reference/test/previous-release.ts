import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The commit of the previous release, for rolling upgrades. The next release puts its predecessor here. */
const PREVIOUS = 'd72967547805207d62dceef910abbe29d12a2689'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

export interface PreviousRelease {
  /** Its sources, which can be run: with the packages that this release has installed. */
  readonly folder: string
  remove(): Promise<void>
}

/** @throws Error when the commit is neither here nor at the origin */
export async function previousRelease(): Promise<PreviousRelease> {
  const git = (...args: string[]) => run('git', ['-C', ROOT, ...args])
  // A shallow clone lacks it.
  await git('cat-file', '-e', PREVIOUS).catch(() => git('fetch', '--quiet', '--depth=1', 'origin', PREVIOUS))
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-previous-'))
  const archive = `git -C "${ROOT}" archive ${PREVIOUS} apps packages package.json | tar -x -C "${folder}"`
  await run('sh', ['-c', archive])
  await linkPackages(folder)
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

/** A package of the workspace: the one of that release. Any other one: as a package of this release has it. */
async function linkPackages(folder: string): Promise<void> {
  const own = await membersOf(folder)
  const here = await membersOf(ROOT)
  const byName = new Map(own.map(({ path, manifest }) => [manifest.name, path]))
  for (const { path, manifest } of own)
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const installed = here.map((member) => join(member.path, 'node_modules', name)).find(existsSync)
      const link = join(path, 'node_modules', name)
      await mkdir(dirname(link), { recursive: true })
      // What no package of this release has any more is not needed by a start.
      if (byName.has(name) || installed) await symlink(byName.get(name) ?? `${installed}`, link)
    }
}

interface Member {
  readonly path: string
  readonly manifest: {
    readonly name: string
    readonly dependencies?: Readonly<Record<string, string>>
    readonly devDependencies?: Readonly<Record<string, string>>
  }
}

async function membersOf(root: string): Promise<Member[]> {
  const paths = globSync('{apps,packages}/*/package.json', { cwd: root })
  return Promise.all(
    paths.map(async (path) => ({
      path: join(root, dirname(path)),
      manifest: JSON.parse(await readFile(join(root, path), 'utf8')),
    })),
  )
}
