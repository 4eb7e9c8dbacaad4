import { terminalText } from '@grantkit/core/feature'
import { defineCommand } from 'citty'
import {
  exportedUsersOf,
  firebaseHashConfig,
  IMPORT_SOURCES,
  type Source,
} from '../accounts/exported-users.ts'
import { readTextFile } from '../config/text-file.ts'
import type { LoadService } from '../definition.ts'
import { UsageError } from './command-line.ts'
import { withService } from './with-service.ts'

/** Why an entry of the file added no user. */
const TAKEN = 'another user has this address or id, or had it'

/** Adds the users of another system, who keep their passwords. */
export const importUsers = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Adds users of another system, who keep their passwords. It can be repeated' },
    args: {
      file: {
        type: 'positional',
        required: true,
        description: 'JSON: a user on each line, an array, or an object with "users"',
      },
      from: { type: 'enum', options: [...IMPORT_SOURCES], required: true, description: 'the system' },
      'dry-run': { type: 'boolean', description: 'reads the file, and adds no user' },
      'emails-verified': {
        type: 'boolean',
        description: 'the addresses belong to the users, unless the file says of one that it is not verified',
      },
      'hash-config': {
        type: 'string',
        valueHint: 'file',
        description: 'of firebase: the hash parameters of its console',
      },
    },
    run: async ({ args }) => {
      const { file, 'hash-config': hashFile, 'dry-run': isTrial = false } = args
      const from = args.from as Source
      if ((from === 'firebase') !== (hashFile !== undefined))
        throw new UsageError('--hash-config is required with --from firebase, and only there.')
      const configured = await load()
      const entries = exportedUsersOf(file, await readTextFile(file), {
        from,
        emailsVerified: args['emails-verified'] === true,
        pepper: configured.config.passwordPepper !== undefined,
        hashConfig:
          hashFile === undefined ? undefined : firebaseHashConfig(hashFile, await readTextFile(hashFile)),
      })
      await withService(configured, async ({ operator: { users } }) => {
        users.requireOwn()
        const added = new Map<string, number>()
        let [present, refused] = [0, 0]
        for (const entry of entries) {
          const outcome = 'user' in entry ? await users.import(entry.user, isTrial) : undefined
          if (outcome === 'added' && 'scheme' in entry)
            added.set(entry.scheme, (added.get(entry.scheme) ?? 0) + 1)
          else if (outcome === 'present') present++
          else {
            refused++
            console.error(`${entry.place}: ${terminalText('problem' in entry ? entry.problem : TAKEN)}`)
          }
        }
        for (const [scheme, count] of [...added].sort()) console.log(`${scheme.padEnd(16)}${count}`)
        const total = [...added.values()].reduce((sum, count) => sum + count, 0)
        const verb = isTrial ? 'would be added' : 'added'
        console.log(`${total} ${verb}, ${present} present already, ${refused} refused.`)
        if (refused > 0) process.exitCode = 1
      })
    },
  })
