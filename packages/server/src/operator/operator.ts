import type { AuthorizationServer, Store, UserGrant } from '@grantkit/core'
import type { PersonalToken } from '@grantkit/core/personal-tokens'
import { formatReference } from '@grantkit/explain'
import type { AttemptQuery, AttemptReader, FoundAttempt, ReadAttempt } from '../attempts/attempt-reader.ts'
import { everyItem } from '../database/lists.ts'
import type { OnEvent } from '../events.ts'
import { type OperatorClients, type OperatorClientsOptions, operatorClients } from './clients.ts'
import { type Overview, type OverviewOptions, overviewOf, type ServiceState, stateOf } from './overview.ts'
import { type OperatorUsers, type OperatorUsersOptions, operatorUsers } from './users.ts'

interface OperatorOptions
  extends OverviewOptions,
    OperatorUsersOptions,
    OperatorClientsOptions,
    OperatorGrantsOptions {
  readonly grants: AuthorizationServer['grants']
  readonly store: Store
  readonly attempts: AttemptReader
  readonly onEvent: OnEvent
}

/** What an operator does and sees: on a page, by the admin API and by a command, which only translate. */
export interface Operator {
  readonly users: OperatorUsers
  readonly clients: OperatorClients
  readonly grants: ReturnType<typeof operatorGrants>
  readonly attempts: ReturnType<typeof operatorAttempts>
  readonly overview: () => Promise<Overview>
  readonly state: () => Promise<ServiceState>
}

export function operatorOf(options: OperatorOptions): Operator {
  return {
    users: operatorUsers(options),
    clients: operatorClients(options),
    grants: operatorGrants(options),
    attempts: operatorAttempts(options),
    overview: overviewOf(options),
    state: stateOf(options),
  }
}

/** Sign-in attempts. The trail has that an operator looked at one, or at the latest ones of a user. */
function operatorAttempts({ attempts, onEvent }: Pick<OperatorOptions, 'attempts' | 'onEvent'>) {
  return {
    /** @param text a reference, as a user copies it */
    async find(text: string): Promise<FoundAttempt | undefined> {
      const attempt = await attempts.find(text)
      if (attempt === undefined) return undefined
      const { reference, subject, clientId } = attempt
      onEvent({ type: 'attempt_read', reference: formatReference(reference), subject, clientId })
      return attempt
    },
    /** The latest first. @param failed only those with a fault */
    async latest(query: AttemptQuery, limit: number, failed = false): Promise<readonly ReadAttempt[]> {
      const { subject } = query
      // That there is none says something of the user too.
      if (subject !== undefined) onEvent({ type: 'attempt_read', subject })
      return failed ? attempts.latestFailures(query, limit) : attempts.latest(query, limit)
    },
  }
}

interface OperatorGrantsOptions {
  readonly grants: AuthorizationServer['grants']
  readonly store: Store
  readonly personalTokens?: { list(subject: string): Promise<readonly PersonalToken[]> } | undefined
}

type IssuerOfGrants = Parameters<AuthorizationServer['grants']['endOf']>[0]

/** The most of a page of core. */
const PAGE = 200

/** What an operator does with what users allowed. What ends several grants returns how many ended. */
function operatorGrants({ grants, store, personalTokens }: OperatorGrantsOptions) {
  /** With all its tokens. `false`: the user has no such grant. */
  const end = (subject: string, id: string) => grants.revoke(subject, id, 'operator')
  /** The personal access tokens of a user, the newest first. */
  const tokens = async (subject: string) => personalTokens?.list(subject) ?? []
  return {
    list: grants.list,
    endOf: (issuer: IssuerOfGrants) => grants.endOf(issuer),
    end,
    tokens,
    /** All grants of a user, the newest first. */
    all(subject: string): AsyncGenerator<UserGrant> {
      return everyItem(async (after) => {
        const { grants: items, next } = await grants.list(subject, { limit: PAGE, after })
        return { items, next }
      })
    },
    /** Those of a user, who can allow every app again. */
    endAll: (subject: string) => grants.revokeAll(subject, { by: 'operator' }),
    /** Those of all users and issuers. A grant without a user is of a workload, or ends with its access token. */
    async endOfEveryone(): Promise<number> {
      let ended = 0
      const issuers = new Set<string>()
      for await (const { id, subject, authority } of store.grants.scan()) {
        if (subject !== undefined) ended += Number(await end(subject, id))
        else if (authority !== undefined) issuers.add(authority.issuer)
      }
      for (const issuer of issuers) ended += await grants.endOf({ issuer })
      return ended
    },
    /** `false`: the user has no such token. */
    endToken: async (subject: string, id: string) =>
      (await tokens(subject)).some((token) => token.id === id) && end(subject, id),
  }
}
