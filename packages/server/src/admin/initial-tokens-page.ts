import { type AuthorizationServer, type FoundInitialAccessToken, OAuthError } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { CommandNames } from '../command-names.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup, Site } from '../http/page.ts'
import { recentInitialTokens } from '../operator/initial-tokens.ts'
import { DAY_SECONDS } from '../time-units.ts'
import { adminPage, buttonForm, pageLinks, parameter, signInAgain } from './admin-page.ts'
import { newTokenCard, newTokenForm } from './initial-token-forms.ts'
import type { OperatorVisit, OperatorVisits, Show } from './operator-visits.ts'
import { table } from './table.ts'
import { momentOf } from './times.ts'

export interface InitialTokensPageOptions {
  readonly site: Site
  readonly clients: AuthorizationServer['clients']
  readonly trail: TrailReader
  readonly commands: CommandNames
  /** Whether registration needs a token. Without it the page does not exist. */
  readonly registersWithToken: boolean
}

export const INITIAL_TOKENS_PATH = '/admin/initial-access-tokens'

/** The initial access tokens: those that are valid, and the forms that make and end one. */
export function initialTokensPage(options: InitialTokensPageOptions, visits: OperatorVisits) {
  const show = showTokens(options)
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, fields) => {
      if (!options.registersWithToken) return c.notFound()
      const { problem, card } = await actionOf(options.clients, fields)
      if (problem !== undefined) return show(c, visit, problem)
      // A redirect would carry the token in an address.
      if (card !== undefined) return showTokens(options, card)(c, visit)
      return seeOther(c, `${options.site.basePath}${INITIAL_TOKENS_PATH}`)
    }),
  }
}

/** @param news what a form has just done */
function showTokens(options: InitialTokensPageOptions, news: Markup = html``): Show {
  const { site, clients, trail, commands, registersWithToken } = options
  return async (c, visit, problem) => {
    if (!registersWithToken) return c.notFound()
    const after = parameter(c, 'after')
    const { tokens, next } = await recentInitialTokens(trail, clients, after)
    const main = html`
<p>A client needs one of these tokens to register itself. Clients that have registered stay when their token ends.</p>
${news}
${tokens.length === 0 ? html`<p>There is no such token.</p>` : tokenTable(tokens, visit)}
${pageLinks(`${site.basePath}${INITIAL_TOKENS_PATH}`, { after }, next)}
<p class="hint">The tokens in the audit trail, as far back as it goes. <code>${commands.clients} remove-token</code> ends an older one by its id.</p>
${newTokenForm(visit)}
${signInAgain(site, c, visit)}`
    return adminPage(site, visit, { title: 'Initial access tokens', section: '/clients', main, problem })
  }
}

function tokenTable(tokens: readonly FoundInitialAccessToken[], visit: OperatorVisit): Markup {
  const end = ({ id, label }: FoundInitialAccessToken) =>
    buttonForm(
      { action: 'remove', id },
      html`<button class="danger">End<span class="unseen"> the token for ${label}</span></button>`,
      visit,
    )
  return table(
    'Initial access tokens',
    [
      { head: 'For', cell: ({ label }) => html`<bdi>${label}</bdi>` },
      { head: 'Id', cell: ({ id }) => html`<code>${id}</code>` },
      { head: 'Clients left', cell: ({ uses }) => (uses === 0 ? 'used up' : String(uses)), numeric: true },
      { head: 'Scopes', cell: ({ scopes }) => (scopes === undefined ? 'every one' : scopes.join(', ')) },
      { head: 'Ends', cell: ({ expiresAt }) => momentOf(expiresAt) },
      ...(visit.token === undefined ? [] : [{ head: 'Change', cell: end }]),
    ],
    tokens,
  )
}

interface Action {
  readonly problem?: string
  readonly card?: Markup
}

/** Does what a form of the page asks for. */
async function actionOf(
  clients: InitialTokensPageOptions['clients'],
  fields: Readonly<Record<string, string>>,
): Promise<Action> {
  switch (fields.action) {
    case 'add':
      return add(clients, fields)
    case 'remove':
      await clients.removeInitialAccessToken(fields.id ?? '')
      return {}
    default:
      return { problem: 'This form is unknown. Nothing was changed.' }
  }
}

async function add(
  clients: InitialTokensPageOptions['clients'],
  { label = '', uses, days, scopes = '' }: Readonly<Record<string, string>>,
): Promise<Action> {
  const named = scopes.split(/\s+/).filter((scope) => scope !== '')
  try {
    const token = await clients.addInitialAccessToken({
      label: label.trim(),
      uses: Number(uses),
      expiresIn: Number(days) * DAY_SECONDS,
      scopes: named.length === 0 ? undefined : named,
    })
    return { card: newTokenCard(token) }
  } catch (error) {
    // A store that cannot be reached is no mistake of the operator.
    if (error instanceof OAuthError && error.status < 500)
      return { problem: `${error.message}. No token was made.` }
    throw error
  }
}
