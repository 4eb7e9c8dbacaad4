import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import { masked, withMaskedUrls } from '../config/url-passwords.ts'

/** The problems of database and store. Nothing is created and no table changes. */
export async function unreachable({ database, store }: Config): Promise<readonly string[]> {
  const places = [
    ['DATABASE_URL', database],
    ...(store === database ? [] : [['STORE_URL', store] as const]),
  ] as const
  const problems = await Promise.all(
    places.map(([variable, url]) =>
      reach(url).then(
        () => [],
        (error: Error) => [`${variable}: ${masked(url)} cannot be used: ${withMaskedUrls(error.message)}`],
      ),
    ),
  )
  return problems.flat()
}

async function reach(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) return reachFile(url.slice('sqlite:'.length))
  if (url.startsWith('postgres')) return reachPostgres(url)
  if (url.startsWith('redis')) return reachRedis(url)
}

async function reachFile(path: string): Promise<void> {
  if (existsSync(path)) return access(path, constants.R_OK | constants.W_OK)
  // A start creates the file with its folders.
  let folder = dirname(path)
  while (!existsSync(folder)) folder = dirname(folder)
  return access(folder, constants.W_OK)
}

async function reachPostgres(url: string): Promise<void> {
  const { connectToPostgres } = await import('@grantkit/store-postgres')
  const pool = await connectToPostgres(url, { onError: () => {} })
  try {
    await pool.query('select 1')
  } finally {
    await pool.end()
  }
}

async function reachRedis(url: string): Promise<void> {
  const { connectToRedis } = await import('@grantkit/store-redis')
  const connection = await connectToRedis(url, { onError: () => {} })
  connection.destroy()
}
