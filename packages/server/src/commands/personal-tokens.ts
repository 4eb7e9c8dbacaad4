import { styleText } from 'node:util'
import type { PersonalToken } from '@grantkit/core/personal-tokens'
import { defineCommand } from 'citty'
import type { ConfiguredService, LoadService } from '../configured-service.ts'
import type { Service } from '../service.ts'
import { isoTime } from './client-lines.ts'
import { UsageError } from './command-line.ts'
import { namedAccount, userArgument as user } from './named-account.ts'
import { jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Lists the personal access tokens of a user, and revokes them. Only their user creates one, on the page. */
export const personalTokens = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Lists the personal access tokens of a user, and revokes them' },
    subCommands: { list: list(load), revoke: revoke(load) },
  })

const list = (load: LoadService) =>
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

const revoke = (load: LoadService) =>
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
