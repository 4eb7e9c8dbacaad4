import { styleText } from 'node:util'
import type { UserGrant } from '@grantkit/core'
import type { PersonalToken } from '@grantkit/core/personal-tokens'
import { defineCommand } from 'citty'
import type { ConfiguredService, LoadService } from '../definition.ts'
import type { Service } from '../service/service.ts'
import { UsageError } from './command-line.ts'
import { isoTime, plain, printList } from './terminal.ts'
import { namedAccount, subjectNamed, userArgument as user, withSharedStore } from './with-service.ts'

const json = { type: 'boolean', description: 'prints a JSON line for each' } as const

/** Lists the grants of a user, revokes them, and ends those of an issuer. */
export const grants = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Lists the grants of a user, revokes them, and ends those of an issuer' },
    subCommands: { list: list(load), revoke: revoke(load), end: endOfIssuer(load) },
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'What a user allowed, the newest first' },
    args: { user, json },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ operator: { grants }, directory }) => {
        const subject = await subjectNamed(directory, args.user)
        await printList(grants.all(subject), args.json, grantLine, 'There are no grants.')
      }),
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
      await withSharedStore(await load(), async ({ operator: { grants }, directory }) => {
        const subject = await subjectNamed(directory, user)
        const ended =
          grantId === undefined ? await grants.endAll(subject) : Number(await grants.end(subject, grantId))
        if (ended === 0 && grantId !== undefined) throw new Error(`This user has no grant ${plain(grantId)}.`)
        console.log(endedLine(ended))
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
      withSharedStore(await load(), async ({ operator: { grants } }) =>
        console.log(endedLine(await grants.endOf({ issuer, tenant, subject }))),
      ),
  })

function endedLine(ended: number): string {
  return `${ended} ${ended === 1 ? 'grant has' : 'grants have'} ended.`
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
    args: { user, json },
    run: async ({ args }) =>
      withTokens(await load(), async ({ operator: { grants }, directory }) => {
        const { id } = await namedAccount(directory, args.user)
        await printList(await grants.tokens(id), args.json, tokenLine, 'There are no tokens.')
      }),
  })

const revokePersonalToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends a token at once; its user gets a mail' },
    args: { user, id: { type: 'positional', required: true, description: 'the token to end' } },
    run: async ({ args }) =>
      withTokens(await load(), async ({ operator: { grants }, directory }) => {
        const { id: subject } = await namedAccount(directory, args.user)
        if (!(await grants.endToken(subject, args.id)))
          throw new Error(`This user has no token ${plain(args.id)}.`)
        console.log('The token has ended.')
      }),
  })

async function withTokens(configured: ConfiguredService, work: (service: Service) => Promise<void>) {
  if (!configured.config.features.personalTokens.enabled) throw new UsageError('It needs PERSONAL_TOKENS=on.')
  await withSharedStore(configured, work)
}

function tokenLine({ id, label, scopes, expiresAt, lastUsedAt, lastNetwork }: PersonalToken): string {
  const ends = expiresAt === undefined ? 'never ends' : `ends ${isoTime(expiresAt)}`
  const used = lastUsedAt === undefined ? 'not used yet' : `used ${isoTime(lastUsedAt)}`
  const from = lastNetwork === undefined ? '' : ` from ${plain(lastNetwork)}`
  return `${id}  ${styleText('bold', plain(label))}  ${ends}  ${used}${from}  ${scopes.map(plain).join(' ')}`
}
