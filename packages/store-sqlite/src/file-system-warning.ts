const NETWORK = 'is on a network file system, whose locks SQLite cannot trust: use a local disk'
const PERHAPS_NETWORK =
  'is on FUSE; if that is a network file system, SQLite cannot trust its locks: use a local disk'
const MEMORY = 'is in memory: a restart of the machine loses everything in it'
const CONTAINER = 'is in the layer of a container and ends with it: use a volume'

/** The magic numbers of Linux, statfs(2). */
const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, NETWORK], // NFS
  [0x517b, NETWORK], // SMB
  [0xff534d42, NETWORK], // CIFS
  [0xfe534d42, NETWORK], // SMB 2
  [0x01021997, NETWORK], // 9P
  [0x5346414f, NETWORK], // AFS
  [0x00c36400, NETWORK], // Ceph
  [0x65735546, PERHAPS_NETWORK],
  [0x01021994, MEMORY], // tmpfs
  [0x858458f6, MEMORY], // ramfs
  [0x794c7630, CONTAINER], // overlayfs
])

/** @param type as `statfs` of Node gives it on Linux */
export function fileSystemWarning(path: string, type: number): string | undefined {
  // 32-bit systems report the upper half as negative numbers.
  const warning = FILE_SYSTEMS.get(type >>> 0)
  return warning && `${path} ${warning}`
}
