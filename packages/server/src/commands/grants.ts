import { styleText } from 'node:util'
import type { UserGrant } from '@grantkit/core'
import type { PersonalToken } from '@grantkit/core/personal-tokens'
import { defineCommand } from 'citty'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'
import type { Service } from '../service/service.ts'
import { UsageError } from './command-line.ts'
import { isoTime, jsonText, plain } from './terminal.ts'
import { namedAccount, userArgument as user, withSharedStore } from './with-service.ts'

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

/** Lists the personal access tokens of a user, and revokes them. Only their user creates one, on the page. */
export const personalTokens = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Lists the personal access tokens of a user, and revokes them' },
    subCommands: { list: listPersonalTokens(load), revoke: revokePersonalToken(load) },
  })

const listPersonalTokens = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The tokens of a user, the newest first' },
    args: { user, json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args }) =>
      withTokens(await load(), async (tokens, { directory }) => {
        const { id } = await namedAccount(directory, args.user)
        const listed = await tokens.list(id)
        for (const token of listed) console.log(args.json ? jsonText(token) : tokenLine(token))
        if (listed.length === 0 && !args.json) console.log('There are no tokens.')
      }),
  })

const revokePersonalToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends a token at once; its user gets a mail' },
    args: { user, id: { type: 'positional', required: true, description: 'the token to end' } },
    run: async ({ args }) =>
      withTokens(await load(), async (tokens, { directory, grants }) => {
        const { id: subject } = await namedAccount(directory, args.user)
        const isToken = (await tokens.list(subject)).some(({ id }) => id === args.id)
        if (!isToken || !(await grants.revoke(subject, args.id, 'operator')))
          throw new Error(`This user has no token ${plain(args.id)}.`)
        console.log('The token has ended.')
      }),
  })

async function withTokens(
  configured: ConfiguredService,
  work: (tokens: NonNullable<Service['personalTokens']>, service: Service) => Promise<void>,
): Promise<void> {
  if (!configured.config.features.personalTokens.enabled) throw new UsageError('It needs PERSONAL_TOKENS=on.')
  await withSharedStore(configured, async (service) => {
    if (service.personalTokens !== undefined) await work(service.personalTokens, service)
  })
}

function tokenLine({ id, label, scopes, expiresAt, lastUsedAt, lastNetwork }: PersonalToken): string {
  const ends = expiresAt === undefined ? 'never ends' : `ends ${isoTime(expiresAt)}`
  const used = lastUsedAt === undefined ? 'not used yet' : `used ${isoTime(lastUsedAt)}`
  const from = lastNetwork === undefined ? '' : ` from ${plain(lastNetwork)}`
  return `${id}  ${styleText('bold', plain(label))}  ${ends}  ${used}${from}  ${scopes.map(plain).join(' ')}`
}
