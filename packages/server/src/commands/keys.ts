import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import type { PrivateJwk } from '@grantkit/core'
import { defineCommand } from 'citty'
import type { SigningKeysRotated } from '../config/signing-keys-file.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'
import { UsageError } from './command-line.ts'
import { fail } from './terminal.ts'
import { withTrail } from './with-service.ts'

/** Rotates the signing keys in KEYS_FILE, or removes some. A running service reloads the file. */
export const keys = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Rotates the signing keys in KEYS_FILE, or removes compromised ones' },
    subCommands: {
      rotate: defineCommand({
        meta: {
          description:
            'Adds a key for each algorithm to KEYS_FILE, and drops those that no valid token needs. Clients see the new keys at once; in 20 minutes they begin to sign. A missing file is made',
        },
        run: () => rotate(load).catch((error) => fail(error, 'Not rotated.')),
      }),
      remove: defineCommand({
        meta: {
          description: 'Takes stolen keys out of KEYS_FILE at once. Whatever they signed is good no more',
        },
        args: {
          'kid...': { type: 'positional', required: false, description: 'the keys; default: all' },
          compromised: { type: 'boolean', description: 'says that the keys are stolen (required)' },
        },
        run: async ({ args: { compromised, _: kids } }) => {
          if (!compromised)
            throw new UsageError(
              '--compromised is required: use rotate to retire keys that are not compromised.',
            )
          await remove(load, kids).catch((error) => fail(error, 'Not removed.'))
        },
      }),
    },
  })

async function rotate(load: LoadService): Promise<void> {
  const { configured, config, files, path } = await keysOf(load)
  const { profile } = config.features
  const now = Math.floor(Date.now() / 1000)
  if (existsSync(path)) {
    const before = await files.readSigningKeys(path)
    const rotated = await files.rotateKeysFile(path, { profile, lifetime: config.lifetimes.accessToken }, now)
    print(path, rotated, now)
    await record(configured, before, rotated)
  } else {
    const made = await files.newKeys(profile)
    const { createFile } = await import('../config/text-file.ts')
    await createFile(path, files.keySetText(made))
    console.log(`${path} is made. The service needs it when it starts.`)
    await record(configured, [], made)
  }
}

async function remove(load: LoadService, kids: readonly string[]): Promise<void> {
  const { configured, config, files, path } = await keysOf(load)
  const before = await files.readSigningKeys(path)
  const left = await files.removeFromKeysFile(path, config.features.profile, kids)
  const { retired, added } = await record(configured, before, left, true)
  for (const kid of retired) console.log(`removed  ${kid}`)
  for (const kid of added) console.log(`new      ${kid}  signs at once`)
  console.log(styleText('dim', `${path} is written; a running service reads it within seconds.`))
}

async function keysOf(load: LoadService) {
  const configured = await load()
  const { config } = configured
  const files = await import('../config/signing-keys-file.ts')
  return {
    configured,
    config,
    files,
    path: config.keysFile ?? (await files.developmentKeysFile(config.dataFolder)),
  }
}

/** The keys are rotated already, so an unreachable database does not fail the command. */
async function record(
  configured: ConfiguredService,
  before: readonly PrivateJwk[],
  now: readonly PrivateJwk[],
  compromised = false,
): Promise<SigningKeysRotated> {
  const onlyIn = (some: readonly PrivateJwk[], others: readonly PrivateJwk[]) =>
    some.filter(({ kid }) => !others.some((other) => other.kid === kid)).map(({ kid }) => kid)
  const [added, retired] = [onlyIn(now, before), onlyIn(before, now)]
  const event = { type: 'signing_keys_rotated', added, retired, compromised } as const
  await withTrail(configured, async (trail) => trail.onEvent(event)).catch((error: Error) =>
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
