import { OAuthError } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { pageView } from '@grantkit/core/feature'
import { inLanguage, type LocalizedText, type ScopeInWords } from '@grantkit/core/internal'
import type { PersonalToken, PersonalTokens } from '@grantkit/core/personal-tokens'
import type { ChosenToken, NewTokenForm, PersonalTokensView, ShownPersonalToken } from '@grantkit/pages'
import type { Context } from 'hono'
import { DAY_SECONDS } from '../config/time-units.ts'
import { seeOther, valuesOf, type WithBody } from '../http/bodies-and-answers.ts'
import { addressOf, requestOf } from '../http/page.ts'
import { signInAgain } from '../http/sign-in-wishes.ts'
import type { Visit } from '../sign-in/session.ts'
import { type AccountVisits, accountVisits } from './change-sign-in.ts'
import type { PageParts, TokenChoices } from './parts.ts'

/**
 * The page where users create and revoke personal access tokens. A session alone opens it. An access token means nothing here, so no
 * token creates another one.
 */
export function personalTokensPage(options: PageParts, tokens: PersonalTokens) {
  const path = options.site.basePath + TOKENS_PATH
  const visits = accountVisits(options, 'account', path)
  const signIn = signInAgain(options.site.basePath, path)
  const page = tokensPage(options, tokens, { path, signIn, visits })
  const expired = (c: Context, visit: Visit) => page(c, visit, { problem: 'expired', status: 403 })

  return {
    async show(c: Context) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      return page(c, visit, { ended: visits.noticeOf(c, visit) })
    },
    /** Needs a sign-in within the last minutes. The response alone has the text of the token. */
    create: visits.form(expired, async (c, visit, fields) => {
      if (!(await visits.isFresh(visit))) return page(c, visit, { problem: 'notFresh', status: 403 })
      const chosen = chosenIn(c, fields)
      const wanted = newToken(options, tokens, chosen)
      if (wanted === undefined) return page(c, visit, { problem: 'incomplete', status: 400 }, chosen)
      const { subject } = visit.session
      try {
        const { text, token } = await tokens.create({ ...wanted, subject, form: fields })
        return page(c, visit, { made: { label: token.label, text } })
      } catch (error) {
        return page(c, visit, refused(error), chosen)
      }
    }),
    end: visits.form(expired, async (c, { session }, { id = '' }) => {
      const { subject } = session
      const token = (await tokens.list(subject)).find((one) => one.id === id)
      if (token === undefined || !(await tokens.end(subject, id))) return seeOther(c, path)
      return seeOther(c, addressOf(path, { notice: visits.signNotice(session, token.label) }))
    }),
  }
}

function chosenIn(c: Context<WithBody>, { label = '', days = '' }: Record<string, string>): ChosenToken {
  return {
    label,
    scopes: valuesOf(c, 'scope'),
    resources: valuesOf(c, 'resource'),
    days: /^\d{1,4}$/.test(days) ? Number(days) : EMPTY.days,
  }
}

/** @throws the error, if the user can do nothing about it */
function refused(error: unknown): Pick<PersonalTokensView, 'problem' | 'status'> {
  if (!(error instanceof OAuthError) || error.status >= 500) throw error
  return error.status === 409 ? { problem: 'full', status: 409 } : { problem: 'incomplete', status: 400 }
}

// What the page of personal access tokens shows.

const TOKENS_PATH = '/account/tokens'

const EMPTY: ChosenToken = { label: '', scopes: [], resources: [], days: 0 }

const EXPIRES_SOON_SECONDS = 7 * DAY_SECONDS
const USUAL_DAYS = [7, 30, 60, 90, 180, 365]

/** What a form asks for, if it is all among the choices. */
export function newToken(
  { tokenChoices }: Pick<PageParts, 'tokenChoices'>,
  { scopes: allowed }: Pick<PersonalTokens, 'scopes'>,
  { label, scopes, resources, days }: ChosenToken,
) {
  const known = tokenChoices.resources.map(({ resource }) => resource)
  const isChosen = scopes.length > 0 && resources.length > 0 && label.trim() !== ''
  const isOffered =
    scopes.every((name) => allowed.includes(name)) && resources.every((name) => known.includes(name))
  if (!isChosen || !isOffered || !daysOf(tokenChoices).includes(days)) return undefined
  return { label, scopes, resources, lifetime: days * DAY_SECONDS }
}

interface Place {
  readonly path: string
  readonly signIn: string
  readonly visits: AccountVisits
}

type Outcome = Pick<Partial<PersonalTokensView>, 'made' | 'ended' | 'problem' | 'status'>

/** @returns shows the page: its `chosen` is what the form of a failed request had */
function tokensPage(options: PageParts, tokens: PersonalTokens, { path, signIn, visits }: Place) {
  const { site, tokenChoices, onError } = options
  const { ui, basePath } = site
  /** What a token needs of its user may not be known. The list, and the text of a new token, are shown all the same. */
  const formOrRefusal = async (make: () => Promise<NewTokenForm>) => {
    try {
      return { form: await make() }
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      if (error.status >= 500) onError(error)
      return { refused: { reason: error.reason, status: error.status } }
    }
  }
  return async (c: Context, visit: Visit, outcome: Outcome, chosen = EMPTY): Promise<Response> => {
    const { session } = visit
    const page = pageView(ui.interaction, requestOf(c))
    const words = inWords(options, page.locale)
    const listed = await tokens.list(session.subject)
    return toResponse(
      await ui.personalTokensPage({
        ...{ ...page, ...outcome, session, signIn, returnTo: path },
        tokens: listed.map((token) => shown(token, words)),
        ...((await visits.isFresh(visit)) &&
          (await formOrRefusal(async () => ({
            ...newTokenForm(tokenChoices, words(tokens.scopes), chosen),
            terms: await tokens.terms(session.subject, page.locale),
          })))),
        actions: { create: path, end: `${path}/end` },
        ticket: visits.tokenFor(visit),
        account: `${basePath}/account`,
        script: outcome.made && `${basePath}/assets/copy.js`,
      }),
    )
  }
}

type Words = (scopes: readonly string[]) => readonly ScopeInWords[]

function inWords({ scopes: catalogue, site: { ui } }: PageParts, locale: string): Words {
  const { uiLocales } = ui.interaction
  const text = (words: LocalizedText) => inLanguage(words, locale, uiLocales)
  return (scopes) =>
    scopes.map((name) => {
      // The catalogue may have lost it. The token still has it.
      const { description, area, access } = catalogue[name] ?? { description: name }
      return { name, description: text(description), area: area && text(area), ...(access && { access }) }
    })
}

function shown(token: PersonalToken, words: Words): ShownPersonalToken {
  const { expiresAt, scopes } = token
  const expiresSoon = expiresAt !== undefined && expiresAt - Date.now() / 1000 < EXPIRES_SOON_SECONDS
  return { ...token, scopes: words(scopes), expiresSoon }
}

function newTokenForm(
  choices: TokenChoices,
  scopes: readonly ScopeInWords[],
  chosen: ChosenToken,
): NewTokenForm {
  const { resources } = choices
  const [first] = resources
  const byDefault = { resources: first === undefined ? [] : [first.resource], days: choices.days }
  return {
    resources,
    scopes,
    days: daysOf(choices),
    chosen: chosen === EMPTY ? { ...EMPTY, ...byDefault } : chosen,
  }
}

function daysOf({ days, maxDays }: TokenChoices): readonly number[] {
  // A day less than the maximum is no other choice.
  const usual = USUAL_DAYS.filter((number) => number < maxDays - 1)
  const offered = [...usual, days, maxDays].filter((number) => number <= maxDays)
  return [...new Set(offered)].sort((one, other) => one - other)
}
