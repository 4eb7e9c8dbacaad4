import type { ServerSecret } from '@grantkit/core'
import * as z from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { addIdentity, type Identity, linkedIdentity, mayConnect } from '../accounts/upstream/identities.ts'
import type { Provider } from '../config/providers.ts'
import type { Rows } from '../database/database.ts'
import { type Flow, flowsInCookies } from '../http/flows.ts'
import { type AdminSignIns, hasOtherWay, providerOf, type WaysToSignIn } from './ways-to-sign-in.ts'

/**
 * Identities whose verified address is that of an account. Each waits in the browser that came with it, for ten minutes, until its
 * user signs in to just that account by a password or a passkey. What ends all sessions of the account ends the waiting too, so it
 * is connected once.
 */
export interface WaitingIdentities {
  /**
   * @param id of the sign-in at the provider
   * @returns the Set-Cookie lines. `undefined`: nothing the user could do here would connect it
   */
  begin(cookies: string | undefined, id: string, waiting: Waits): Promise<string[] | undefined>
  /** @param id from the form, whoever sent it */
  find(cookies: string | undefined, id: string | undefined): Waiting | undefined
  /**
   * For a user who has just signed in to an account. It ends all other sessions of the account.
   *
   * @param acr the class of that sign-in
   * @returns `refused`: it waits for another account, or for a stronger sign-in of an admin. `lost`: nothing connects it any more
   */
  connect(waiting: Waiting, account: StoredAccount, acr: string): Promise<Connected | 'refused' | 'lost'>
  /** The Set-Cookie line that forgets it. */
  end(waiting: Waiting): string
}

interface Connected {
  /** As it is then. */
  readonly account: StoredAccount
  /** `false`: a click before this one has connected it. */
  readonly isNew: boolean
}

interface Waits {
  readonly provider: Provider
  readonly identity: Identity
  /** The id of the account that has the address. */
  readonly account: string
}

interface Options {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly accounts: Pick<AccountRows, 'find' | 'endSessionsOf'>
  readonly ways: WaysToSignIn
  readonly adminSignIns: Pick<AdminSignIns, 'mayChangeSignIn'>
}

const SECONDS = 10 * 60
const Value = z.object({
  provider: z.string(),
  issuer: z.string(),
  subject: z.string(),
  tenant: z.string(),
  oid: z.string(),
  account: z.string(),
  epoch: z.string(),
})
export type Waiting = Flow<z.output<typeof Value>> & { readonly label: string }

export function waitingIdentities(options: Options): WaitingIdentities {
  const { accounts, ways, adminSignIns } = options
  const cookie = { name: 'connect', purpose: 'waiting identity', value: Value, seconds: SECONDS }
  const flows = flowsInCookies(options, cookie)
  const configured = (id: string) => providerOf(ways, id)?.provider

  return {
    async begin(cookies, id, { provider, identity, account: holder }) {
      const account = await accounts.find(holder)
      if (account === undefined || !(await hasOtherWay(ways, account))) return undefined
      if (!(await mayConnect(ways, provider, account))) return undefined
      const { issuer, subject, tenant = '', oid = '' } = identity
      const bound = { account: account.id, epoch: String(account.sessionEpoch) }
      return flows.begin(cookies, id, { provider: provider.id, issuer, subject, tenant, oid, ...bound })
    },
    find(cookies, id) {
      const flow = id === undefined ? undefined : flows.find(cookies, id)
      const label = flow && configured(flow.provider)?.label
      return flow && label !== undefined ? { ...flow, label } : undefined
    },
    async connect(waiting, account, acr) {
      const { id, email, sessionEpoch } = account
      if (waiting.account !== id) return 'refused'
      const { issuer, subject: identity, tenant, oid } = waiting
      const holder = async () => (await ways.identities.find(issuer, identity))?.subject
      const provider = configured(waiting.provider)
      const isCurrent = waiting.epoch === String(sessionEpoch)
      const waits = isCurrent && provider !== undefined && (await mayConnect(ways, provider, account))
      if (waits && (await holder()) === undefined) {
        if (!(await adminSignIns.mayChangeSignIn({ account, session: { acr } }))) return 'refused'
        const person = oid === '' ? {} : { tenant, oid }
        const linked = linkedIdentity(
          { issuer, subject: identity, email, provider: provider.id, ...person },
          id,
        )
        const add = (rows: Rows) => addIdentity(rows, linked, account)
        const ended = await accounts.endSessionsOf(account, add)
        if (ended !== undefined) return { account: ended, isNew: true }
      }
      const now = await accounts.find(id)
      if ((await holder()) !== id) return 'lost'
      // The click before has ended the sessions of the account as this one had read it, and nobody else may have.
      const endedByClick = isCurrent && now?.sessionEpoch === sessionEpoch + 1
      return {
        account: endedByClick ? { ...account, sessionEpoch: sessionEpoch + 1 } : account,
        isNew: false,
      }
    },
    end: ({ id }) => flows.end(id),
  }
}
