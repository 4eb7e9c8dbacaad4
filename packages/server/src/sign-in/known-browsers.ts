import { randomUUID } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import * as z from 'zod'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import { flowsInCookies } from '../http/flows.ts'

interface Options {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly accounts: Pick<Accounts, 'find' | 'idOf'>
}

/** `epoch`: all known browsers are forgotten when all sessions of the account end. */
const Known = z.object({ browser: z.string(), epoch: z.string() })
const SECONDS = 180 * 24 * 60 * 60

export type KnownBrowsers = ReturnType<typeof knownBrowsers>

/**
 * The browsers in which a user has signed in, by a signed cookie for each account: the device cookie of OWASP ("Device
 * Cookies"). It does not sign a user in. Wrong passwords from other browsers do not make such a browser wait.
 */
export function knownBrowsers({ accounts, ...options }: Options) {
  const cookie = { name: 'device', purpose: 'device cookie', value: Known, seconds: SECONDS }
  const known = flowsInCookies(options, cookie)
  return {
    /**
     * The Set-Cookie lines that make a browser known to an account.
     *
     * @param account after a sign-in, or with the password that a mail has allowed
     * @param cookies the Cookie header of the request
     */
    remember: ({ id, sessionEpoch }: StoredAccount, cookies: string | undefined): readonly string[] =>
      known.begin(cookies, id, { browser: randomUUID(), epoch: `${sessionEpoch}` }) ?? [],
    /**
     * The id of this browser, if the account with this address knows it.
     *
     * @throws OAuthError `temporarily_unavailable`
     */
    async idOf(email: string, cookies: string | undefined): Promise<string | undefined> {
      if (known.latest(cookies) === undefined) return undefined
      const id = await accounts.idOf(email)
      const device = id === undefined ? undefined : known.find(cookies, id)
      const account = device && (await accounts.find(device.id))
      return account && String(account.sessionEpoch) === device?.epoch ? device.browser : undefined
    },
  }
}
