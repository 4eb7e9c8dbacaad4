import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type DeviceAuthorization, type TortureReport, torture } from '../../../torture/src/index.ts'
import { freePort } from '../../src/machine.ts'
import type { RacedServer } from './raced-server.ts'
import type { Row } from './rows.ts'

/** Every race of a row takes far less. */
const LIMITS = { rate: 500, requests: 5000, grants: 1000, seconds: 600 }

/** Starts the server of a row and races it. The server ends with the run. */
export async function raceRow(row: Row, seed: number): Promise<TortureReport> {
  const args = [row.file ?? '', String(await freePort()), row.store]
  const process = fork(join(import.meta.dirname, 'serve.ts'), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    const server = await toldBy(process)
    return await torture({
      ...{ ...server, seed, limits: LIMITS, cookie: server.cookie ?? 'user=alice' },
      approve: server.approve === undefined ? undefined : (device) => approveAt(server.approve, device),
    })
  } finally {
    if (process.exitCode === null) {
      const ended = once(process, 'exit')
      process.disconnect()
      await ended
    }
  }
}

async function approveAt(url = '', { verificationUri, userCode }: DeviceAuthorization): Promise<void> {
  const query = new URLSearchParams({ verification_uri: verificationUri, user_code: userCode })
  const { status } = await fetch(`${url}/?${query}`)
  if (status !== 204) throw new Error(`The user of ${url} does not approve`)
}

/** @throws Error when the server does not start */
async function toldBy(process: ChildProcess): Promise<RacedServer> {
  const ended = once(process, 'exit').then(([code]) => {
    throw new Error(`The server ended with ${code}.`)
  })
  const [told] = (await Promise.race([once(process, 'message'), ended])) as [RacedServer]
  // From here on its end is no surprise.
  ended.catch(() => {})
  return told
}
