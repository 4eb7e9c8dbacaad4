import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canInstallDebianPackages, installDebianPackages } from './debian-packages.ts'

/**
 * Podman reads Dockerfiles and runs images as Docker does, and needs no daemon. As root, it also works in a container or a
 * virtual machine without systemd.
 */
export interface Podman {
  /** Runs one command. @returns what it printed @throws Error with all that it printed */
  podman(...command: string[]): Promise<string>
  /** Removes its containers and images. */
  close(): Promise<void>
}

const PROGRAMS = ['/usr/bin/podman', '/usr/bin/crun', '/usr/sbin/debootstrap']

/**
 * Installs Podman, and what makes its base image, unless they are there.
 *
 * @returns why that was not possible, or `undefined`
 */
export function installPodman(): string | undefined {
  if (process.getuid?.() !== 0) return 'Podman needs root here.'
  if (PROGRAMS.every((program) => existsSync(program))) return undefined
  if (!canInstallDebianPackages()) return `It needs Debian or Ubuntu, or all of ${PROGRAMS.join(', ')}.`
  try {
    installDebianPackages(['podman', 'crun', 'debootstrap'])
    return undefined
  } catch (error) {
    return `apt-get cannot install podman, crun and debootstrap: ${(error as Error).message}`
  }
}

/** A Podman whose images and containers are in a folder of their own. */
export async function openPodman(): Promise<Podman> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-podman-'))
  const view = await viewOfMounts()
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const podman = (...command: string[]) =>
    execute('nsenter', ['--mount', '--target', `${view.pid}`, 'podman', ...places, ...command])
  return {
    podman,
    async close() {
      await podman('rm', '--all', '--force', '--time', '0')
      await podman('rmi', '--all', '--force')
      view.stdin.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** crun fails on a machine with both versions of cgroups, so it sees only the first. */
const WITHOUT_BOTH_CGROUPS = 'umount /sys/fs/cgroup/unified 2>/dev/null; echo ready; exec cat'

/** A process that sees mounts of its own, until its input ends. What one command of Podman mounts, the next one needs. */
async function viewOfMounts() {
  const view = spawn('unshare', ['--mount', 'sh', '-c', WITHOUT_BOTH_CGROUPS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(view.stdout, 'data')
  return view
}

async function execute(program: string, command: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, command, { maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command.join(' ')}\n${stdout}${stderr}`)
  }
}
