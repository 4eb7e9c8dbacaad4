import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Podman } from './podman.ts'

/**
 * What `node:<major>-slim` is, made on this machine where no registry of images is reached: a clean Debian with Node, npm
 * and the user `node`.
 */

const run = promisify(execFile)
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/node-base-image', import.meta.url))
const ARCHIVE = join(CACHE, `node-${process.versions.node}.tar`)
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** The name in Docker's registry of the image with the Node of this process. */
export const NODE_BASE_IMAGE = `docker.io/library/node:${process.versions.node.split('.')[0]}-slim`

/** Makes the image known to Podman under its name. */
export async function importNodeBaseImage({ podman }: Podman): Promise<void> {
  if (!existsSync(ARCHIVE)) await makeArchive()
  const settings = [`ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, 'CMD ["node"]']
  await podman('import', ...settings.flatMap((one) => ['--change', one]), ARCHIVE, NODE_BASE_IMAGE)
}

async function makeArchive(): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const root = await mkdtemp(join(CACHE, 'root-'))
  try {
    await chmod(root, 0o755)
    await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', await codename(), root])
    await addNode(root)
    await run('tar', ['-C', root, '-cf', `${ARCHIVE}.part`, '.'])
    await rename(`${ARCHIVE}.part`, ARCHIVE)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** The release of this machine: its apt knows where packages come from. */
async function codename(): Promise<string> {
  const [, name = ''] = /^VERSION_CODENAME=(\S+)$/m.exec(await readFile('/etc/os-release', 'utf8')) ?? []
  return name
}

async function addNode(root: string): Promise<void> {
  const local = join(root, 'usr/local')
  await copyFile(process.execPath, join(local, 'bin/node'))
  await run('npm', ['install', '--global', '--silent', '--prefix', local, 'npm@11'])
  await run('chroot', [root, 'useradd', '--create-home', '--uid', '1000', '--shell', '/bin/bash', 'node'])
  // A registry behind a proxy of this machine has a certificate that only this machine trusts.
  await mkdir(dirname(join(root, CERTIFICATES)), { recursive: true })
  await copyFile(CERTIFICATES, join(root, CERTIFICATES))
}
