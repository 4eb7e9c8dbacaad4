import { chown } from 'node:fs/promises'

/** Postgres and PgBouncer refuse to run as root; 65534 is `nobody`. */
export const SERVER_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Gives a folder to the user of the servers. */
export async function handOver(folder: string): Promise<void> {
  const { uid, gid } = { uid: -1, gid: -1, ...SERVER_USER }
  await chown(folder, uid, gid)
}
