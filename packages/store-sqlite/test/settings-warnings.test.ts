import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { fileSystemWarning } from '../src/file-system-warning.ts'
import { migrate, settingsWarnings } from '../src/index.ts'

describe('settingsWarnings', () => {
  /** Some machines have it in memory, so there may be a warning about that, too. */
  let folder: string
  let path: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'grantkit-settings-'))
    path = join(folder, 'grantkit.db')
    migrate({ path })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const aboutSettings = async (durability?: 'machine' | 'process') =>
    (await settingsWarnings({ path, durability })).filter((warning) => !warning.startsWith(`${path} is`))

  it('has no warning for a private file with durable writes', async () => {
    expect(await aboutSettings()).toEqual([])
    expect(await aboutSettings('machine')).toEqual([])
  })

  it('warns of a durability that loses revocations', async () => {
    expect(await aboutSettings('process')).toEqual([expect.stringContaining('loses the last writes')])
  })

  it('warns of a file that others can read, where files have such modes', async () => {
    chmodSync(path, 0o640)
    expect(await aboutSettings()).toEqual([expect.stringContaining('chmod 600')])
    expect(await onWindows(aboutSettings)).toEqual([])
    chmodSync(path, 0o600)
  })

  it.runIf(existsSync('/dev/shm'))('asks the system where a file is, where Node can tell', async () => {
    const inMemory = mkdtempSync('/dev/shm/settings-')
    migrate({ path: join(inMemory, 'a.db') })
    expect(await settingsWarnings({ path: join(inMemory, 'a.db') })).toEqual([
      expect.stringContaining('is in memory'),
    ])
    expect(await onWindows(() => settingsWarnings({ path: join(inMemory, 'a.db') }))).toEqual([])
    rmSync(inMemory, { recursive: true })
  })
})

describe('the warning about a file system', () => {
  it.each([
    ['NFS', 0x6969, 'network file system'],
    ['CIFS', 0xff534d42, 'network file system'],
    ['CIFS of a 32-bit system', 0xff534d42 | 0, 'network file system'],
    ['FUSE', 0x65735546, 'if that is a network file system'],
    ['tmpfs', 0x01021994, 'loses everything in it'],
    ['overlayfs', 0x794c7630, 'use a volume'],
  ])('is logged for %s', (_, type, words) => {
    expect(fileSystemWarning('grantkit.db', type)).toContain(words)
  })

  it.each([
    ['ext4', 0xef53],
    ['XFS', 0x58465342],
    ['Btrfs', 0x9123683e],
    ['ZFS', 0x2fc12fc1],
  ])('is not logged for %s', (_, type) => {
    expect(fileSystemWarning('grantkit.db', type)).toBeUndefined()
  })
})

async function onWindows<T>(work: () => Promise<T>): Promise<T> {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }))
  try {
    return await work()
  } finally {
    vi.unstubAllGlobals()
  }
}
