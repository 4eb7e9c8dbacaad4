import { access } from 'node:fs/promises'
import { styleText } from 'node:util'
import type { PrivateJwk } from '@grantkit/core'
import { newSigningKeys } from '@grantkit/core'
import { developmentKeysFile } from '../settings/development.ts'
import { createFile } from '../settings/private-file.ts'
import { parseSettings, type Settings } from '../settings/settings.ts'
import { keySetText, readSigningKeys, rotateKeysFile } from '../settings/signing-keys-file.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { fail } from './terminal.ts'
import { withTrail } from './with-trail.ts'

/** Renews the signing keys in the file that KEYS_FILE names. A running service reloads it. */

const USAGE = `pnpm keys rotate

Adds a new signing key for each algorithm to the file that KEYS_FILE names, and drops those that nobody needs any
more. Clients see the new keys at once; in 20 minutes they begin to sign. A file that is not there yet is made.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })

try {
  if (positionals.join(' ') !== 'rotate') refuse(USAGE, 'The command must be rotate.')
  await rotate()
} catch (error) {
  fail(error, 'Not rotated.')
}

async function rotate(): Promise<void> {
  const settings = parseSettings(process.env)
  const path = settings.KEYS_FILE ?? (await developmentKeysFile())
  const now = Math.floor(Date.now() / 1000)
  if (await exists(path)) {
    const before = await readSigningKeys(path)
    const rotated = await rotateKeysFile(path, now, settings.ACCESS_TOKEN_LIFETIME)
    print(path, rotated, now)
    await takeDown(settings, before, rotated)
  } else {
    const keys = await newSigningKeys()
    await createFile(path, keySetText(keys))
    console.log(`${path} is made. The service needs it when it starts.`)
    await takeDown(settings, [], keys)
  }
}

/** The keys are renewed already, so a database that is out of reach is no failure of the command. */
async function takeDown(
  settings: Settings,
  before: readonly PrivateJwk[],
  now: readonly PrivateJwk[],
): Promise<void> {
  const onlyIn = (some: readonly PrivateJwk[], others: readonly PrivateJwk[]) =>
    some.filter(({ kid }) => !others.some((other) => other.kid === kid)).map(({ kid }) => kid)
  const event = {
    type: 'signing_keys_rotated',
    added: onlyIn(now, before),
    retired: onlyIn(before, now),
  } as const
  await withTrail(settings, async (trail) => trail.onEvent(event)).catch((error: Error) =>
    console.error(`The audit trail does not have it: ${error.message}`),
  )
}

function print(path: string, keys: readonly PrivateJwk[], now: number): void {
  const fresh = keys.filter(({ signsFrom = 0 }) => signsFrom > now)
  for (const { alg, kid, signsFrom = 0 } of fresh)
    console.log(`${alg.padEnd(5)}  ${kid}  signs from ${new Date(signsFrom * 1000).toISOString()}`)
  console.log(
    `Earlier keys that are published until nothing they signed lives: ${keys.length - fresh.length}.`,
  )
  console.log(styleText('dim', `${path} is written; a running service reads it within seconds.`))
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
