import type { AuthorizationServer, Store, UserGrant } from '@grantkit/core'
import type { PersonalToken } from '@grantkit/core/personal-tokens'

export interface OperatorGrantsOptions {
  readonly grants: AuthorizationServer['grants']
  readonly store: Store
  readonly personalTokens?: { list(subject: string): Promise<readonly PersonalToken[]> } | undefined
}

/** What an operator does with what users allowed. What ends several grants returns how many ended. */
export interface OperatorGrants extends Pick<AuthorizationServer['grants'], 'list' | 'endOf'> {
  /** All grants of a user, the newest first. */
  all(subject: string): AsyncIterable<UserGrant>
  /** With all its tokens. `false`: the user has no such grant. */
  end(subject: string, id: string): Promise<boolean>
  /** Those of a user, who can allow every app again. */
  endAll(subject: string): Promise<number>
  /** Those of all users and issuers. */
  endOfEveryone(): Promise<number>
  /** The personal access tokens of a user, the newest first. */
  tokens(subject: string): Promise<readonly PersonalToken[]>
  /** `false`: the user has no such token. */
  endToken(subject: string, id: string): Promise<boolean>
}

/** The most of a page of core. */
const PAGE = 200

export function operatorGrants({ grants, store, personalTokens }: OperatorGrantsOptions): OperatorGrants {
  const end = (subject: string, id: string) => grants.revoke(subject, id, 'operator')
  const tokens = async (subject: string) => personalTokens?.list(subject) ?? []
  return {
    list: grants.list,
    endOf: grants.endOf,
    async *all(subject) {
      let after: string | undefined
      do {
        const page = await grants.list(subject, { limit: PAGE, after })
        yield* page.grants
        after = page.next
      } while (after !== undefined)
    },
    end,
    endAll: (subject) => grants.revokeAll(subject, { by: 'operator' }),
    // A grant without a user is of a workload, or ends with its access token.
    async endOfEveryone() {
      let ended = 0
      const issuers = new Set<string>()
      for await (const { id, subject, authority } of store.grants.scan()) {
        if (subject !== undefined) ended += Number(await end(subject, id))
        else if (authority !== undefined) issuers.add(authority.issuer)
      }
      for (const issuer of issuers) ended += await grants.endOf({ issuer })
      return ended
    },
    tokens,
    endToken: async (subject, id) =>
      (await tokens(subject)).some((token) => token.id === id) && end(subject, id),
  }
}
