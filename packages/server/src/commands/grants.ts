import { styleText } from 'node:util'
import type { UserGrant } from '@grantkit/core'
import { defineCommand } from 'citty'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { LoadService } from '../configured-service.ts'
import type { Service } from '../service.ts'
import { isoTime } from './client-lines.ts'
import { UsageError } from './command-line.ts'
import { namedAccount, userArgument as user } from './named-account.ts'
import { jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Lists the grants of a user, revokes them, and ends those of an issuer. */
export const grants = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Lists the grants of a user, revokes them, and ends those of an issuer' },
    subCommands: { list: list(load), revoke: revoke(load), end: endOfIssuer(load) },
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'What a user allowed, the newest first' },
    args: { user, json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ grants, directory }) =>
        print(grants, await idOf(directory, args.user), args.json),
      ),
  })

const revoke = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends a grant, or every grant of a user, with all tokens' },
    args: {
      user,
      grant_id: { type: 'positional', required: false, description: 'the grant to end' },
      all: { type: 'boolean', description: 'ends every grant; the user can allow them again' },
    },
    run: async ({ args: { user, grant_id: grantId, all } }) => {
      if (all && grantId !== undefined) throw new UsageError(`Unexpected argument: ${grantId}.`)
      if (!all && grantId === undefined) throw new UsageError('The id of the grant, or --all, is required.')
      await withSharedStore(await load(), async ({ grants, directory }) => {
        console.log(endedLine(await end(grants, await idOf(directory, user), grantId)))
      })
    },
  })

const endOfIssuer = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Ends the grants that assertions of an issuer brought. It looks at every grant. Remove the trust first, or the next assertion brings another one',
    },
    args: {
      issuer: {
        type: 'string',
        valueHint: 'iss',
        required: true,
        description: 'the identity provider or platform, as its assertions name it',
      },
      tenant: {
        type: 'string',
        valueHint: 'tenant',
        description: 'only those of this organization, where several share the issuer',
      },
      subject: {
        type: 'string',
        valueHint: 'sub',
        description:
          'only those of this user or program, as the assertions name it; with its tenant, if it has one',
      },
    },
    run: async ({ args: { issuer, tenant, subject } }) =>
      withSharedStore(await load(), async ({ grants }) =>
        console.log(endedLine(await grants.endOf({ issuer, tenant, subject }))),
      ),
  })

function endedLine(ended: number): string {
  return `${ended} ${ended === 1 ? 'grant has' : 'grants have'} ended.`
}

/** An account that was removed is known by its id alone. */
async function idOf(directory: AccountDirectory, user: string): Promise<string> {
  return user.includes('@') ? (await namedAccount(directory, user)).id : user
}

async function end(grants: Service['grants'], subject: string, grantId: string | undefined): Promise<number> {
  if (grantId === undefined) return grants.revokeAll(subject, { by: 'operator' })
  if (await grants.revoke(subject, grantId, 'operator')) return 1
  throw new Error(`This user has no grant ${plain(grantId)}.`)
}

async function print(grants: Service['grants'], subject: string, json = false): Promise<void> {
  let printed = 0
  let after: string | undefined
  do {
    const page = await grants.list(subject, { limit: 200, after })
    for (const grant of page.grants) console.log(json ? jsonText(grant) : grantLine(grant))
    printed += page.grants.length
    after = page.next
  } while (after !== undefined)
  if (printed === 0 && !json) console.log('There are no grants.')
}

function grantLine({ id, clientId, client, scopes, usedAt }: UserGrant): string {
  const name = plain(client?.clientName ?? clientId)
  return `${id}  ${styleText('bold', name)}  client ${plain(clientId)}  used ${isoTime(usedAt)}  ${scopes.map(plain).join(' ')}`
}
