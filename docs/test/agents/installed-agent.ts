import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const { XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env
const CACHE = join(XDG_CACHE_HOME, 'grantkit', 'agents')

/** npm has these codes where it reaches no registry. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/

/**
 * Installs a package into the cache of the user, unless it is there. It has some hundred megabytes, and stays outside the
 * repository, so that its dependencies do not include them.
 *
 * @returns its `node_modules`, or `undefined` where no registry answers
 */
export async function installAgent(npmPackage: string, version: string): Promise<string | undefined> {
  const folder = join(CACHE, `${npmPackage.replaceAll('/', '-')}-${version}`)
  const modules = join(folder, 'node_modules')
  if (await exists(modules)) return modules
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${npmPackage}@${version}`], {
      cwd: unfinished,
    })
    await rename(unfinished, folder)
    return modules
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (UNREACHABLE.test(String(error))) return undefined
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
