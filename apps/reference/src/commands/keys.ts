import { access } from 'node:fs/promises'
import { styleText } from 'node:util'
import type { PrivateJwk } from '@grantkit/core'
import { developmentKeysFile } from '../settings/development.ts'
import { createFile } from '../settings/private-file.ts'
import { parseSettings, type Settings } from '../settings/settings.ts'
import {
  keySetText,
  newKeys,
  readSigningKeys,
  removeFromKeysFile,
  rotateKeysFile,
  type SigningKeysRotated,
} from '../settings/signing-keys-file.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { fail } from './terminal.ts'
import { withTrail } from './with-trail.ts'

/** Rotates the signing keys in KEYS_FILE, or removes some. A running service reloads the file. */

const USAGE = `pnpm keys rotate
pnpm keys remove --compromised [<kid>...]

rotate adds a new signing key for each algorithm to the file that KEYS_FILE names, and drops those that no valid token
needs. Clients see the new keys at once; in 20 minutes they begin to sign. A file that is not there yet is made.

remove takes stolen keys out of the file at once, all of them if none is named. Whatever they signed is good no more.`

const { positionals, values } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { compromised: { type: 'boolean', default: false } },
})
const [command, ...kids] = positionals

try {
  if (command === 'remove' && values.compromised) await remove()
  else if (command === 'remove')
    refuse(USAGE, '--compromised is required: use rotate to retire keys that are not compromised.')
  else if (positionals.join(' ') === 'rotate') await rotate()
  else refuse(USAGE, 'The command must be rotate or remove.')
} catch (error) {
  fail(error, command === 'remove' ? 'Not removed.' : 'Not rotated.')
}

async function rotate(): Promise<void> {
  const settings = parseSettings(process.env)
  const path = settings.KEYS_FILE ?? (await developmentKeysFile())
  const now = Math.floor(Date.now() / 1000)
  if (await exists(path)) {
    const before = await readSigningKeys(path)
    const rotated = await rotateKeysFile(path, settings, now)
    print(path, rotated, now)
    await takeDown(settings, before, rotated)
  } else {
    const keys = await newKeys(settings.PROFILE)
    await createFile(path, keySetText(keys))
    console.log(`${path} is made. The service needs it when it starts.`)
    await takeDown(settings, [], keys)
  }
}

async function remove(): Promise<void> {
  const settings = parseSettings(process.env)
  const path = settings.KEYS_FILE ?? (await developmentKeysFile())
  const before = await readSigningKeys(path)
  const left = await removeFromKeysFile(path, settings.PROFILE, kids)
  const { retired, added } = await takeDown(settings, before, left, true)
  for (const kid of retired) console.log(`removed  ${kid}`)
  for (const kid of added) console.log(`new      ${kid}  signs at once`)
  console.log(styleText('dim', `${path} is written; a running service reads it within seconds.`))
}

/** The keys are rotated already, so an unreachable database does not fail the command. */
async function takeDown(
  settings: Settings,
  before: readonly PrivateJwk[],
  now: readonly PrivateJwk[],
  compromised = false,
): Promise<SigningKeysRotated> {
  const onlyIn = (some: readonly PrivateJwk[], others: readonly PrivateJwk[]) =>
    some.filter(({ kid }) => !others.some((other) => other.kid === kid)).map(({ kid }) => kid)
  const [added, retired] = [onlyIn(now, before), onlyIn(before, now)]
  const event = { type: 'signing_keys_rotated', added, retired, compromised } as const
  await withTrail(settings, async (trail) => trail.onEvent(event)).catch((error: Error) =>
    console.error(`The audit trail does not have it: ${error.message}`),
  )
  return event
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
