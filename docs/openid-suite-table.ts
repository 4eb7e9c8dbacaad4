import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

/** The last results of the suite of the OpenID Foundation, by plan. */
const FILE = join(import.meta.dirname, 'openid-suite.json')

export const SuiteResult = z.object({
  plan: z.string(),
  modules: z.int().positive(),
  failed: z.int().nonnegative(),
  failures: z.array(z.string()),
  date: z.iso.date(),
  /** The release of the suite. */
  suite: z.string(),
  /** Frameworks and stores. */
  on: z.string(),
  commit: z.string(),
})
export type SuiteResult = z.output<typeof SuiteResult>

/** The only plan without a row in `plans.ts`: a person runs it. */
export const BY_HAND = 'dynamic'

const FAPI = '[`PROFILE=fapi2`](how-to/fapi2.md), `private_key_jwt`, DPoP'

/** What the table says about each plan, and links to why it fails. */
const PLANS: Readonly<Record<string, readonly [name: string, settings: string, reason?: string]>> = {
  config: ['Config OP', ''],
  basic: ['Basic OP, `client_secret_basic`', 'static clients', '#failures-of-the-basic-plan'],
  logout: ['RP-Initiated Logout OP', '[`LOGOUT=on`](how-to/logout.md)'],
  'back-channel-logout': [
    'Back-Channel Logout OP',
    '[`BACK_CHANNEL_LOGOUT=on`](how-to/logout.md#back-channel-logout)',
  ],
  'fapi2-oauth': ['FAPI 2.0 Security Profile Final, plain OAuth', FAPI],
  'fapi2-openid': ['the same, with OpenID Connect', 'the same'],
  'fapi2-client-credentials': ['the same, client credentials', 'the same, and `CLIENT_CREDENTIALS=on`'],
  [BY_HAND]: ['Dynamic OP', 'self-registered clients', '#failures-of-the-dynamic-plan'],
}

export const suiteResults = (): SuiteResult[] =>
  z.array(SuiteResult).parse(JSON.parse(readFileSync(FILE, 'utf8')))

/** The table of docs/openid-suite.md. */
export function suiteTable(results = suiteResults()): string {
  const rows = Object.entries(PLANS).map(([plan, [name, settings, reason]]) => {
    const result = results.find((result) => result.plan === plan)
    if (result === undefined) throw new Error(`docs/openid-suite.json has no results of ${plan}`)
    const { on, modules, failed, commit, date, suite } = result
    const failures = failed === 0 ? '0' : failedModules(plan, failed, reason)
    return `| ${[name, settings, on, modules, failures, commit, date, suite].join(' | ')} |`
  })
  return `| Plan | Settings | Frameworks and stores | Modules | Failed | Commit | Date | Suite |
|---|---|---|---:|---:|---|---|---|
${rows.join('\n')}`
}

function failedModules(plan: string, failed: number, reason: string | undefined): string {
  if (reason === undefined) throw new Error(`docs/openid-suite.md does not say why ${plan} fails`)
  return `**${failed}**, [why](${reason})`
}
