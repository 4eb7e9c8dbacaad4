import { OAuthError } from '@grantkit/core'
import type { PersonalTokens } from '@grantkit/core/personal-tokens'
import type { ChosenToken, PersonalTokensView } from '@grantkit/pages'
import type { Context } from 'hono'
import { formOf, seeOther, valuesOf, type WithBody } from '../http/bodies-and-answers.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { Visit } from '../sign-in/session.ts'
import { accountVisits } from './account-visits.ts'
import { addressOf } from './pagination.ts'
import {
  EMPTY,
  Ended,
  newToken,
  type PersonalTokenPageOptions,
  TOKENS_PATH,
  tokensPage,
} from './personal-tokens-view.ts'

/** Handlers of the page where users create and revoke personal access tokens. */
export interface PersonalTokensPage {
  show(c: Context): Promise<Response>
  /** Needs a sign-in within the last minutes. The response alone has the text of the token. */
  create(c: Context<WithBody>): Promise<Response>
  end(c: Context<WithBody>): Promise<Response>
}

const NOTICE_LIFETIME_SECONDS = 60

/** A session alone opens it. An access token means nothing here, so no token creates another one. */
export function personalTokensPage(
  options: PersonalTokenPageOptions,
  tokens: PersonalTokens,
): PersonalTokensPage {
  const path = options.site.basePath + TOKENS_PATH
  const noticeKey = hmacKeys(options.secret, 'personal tokens notice')
  const visits = accountVisits(options)
  const signIn = addressOf(`${options.site.basePath}/login`, { return_to: path })
  const page = tokensPage(options, tokens, { path, signIn, visits })

  /** The session and the form, checked in this order. */
  const change =
    (work: (c: Context<WithBody>, visit: Visit, fields: Record<string, string>) => Promise<Response>) =>
    async (c: Context<WithBody>) => {
      const visit = await visits.of(c)
      if (visit === undefined) return seeOther(c, signIn)
      const fields = formOf(c)
      if (!visits.isOwnForm(c, visit, fields.ticket))
        return page(c, visit, { problem: 'expired', status: 403 })
      return work(c, visit, fields)
    }

  return {
    async show(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return seeOther(c, signIn)
      const notice = verifyValue(noticeKey, c.req.query('ended'), Ended, NOTICE_LIFETIME_SECONDS)
      return page(c, visit, notice?.session === visit.session.id ? { ended: notice.label } : {})
    },
    create: change(async (c, visit, fields) => {
      if (!visits.isFresh(visit)) return page(c, visit, { problem: 'notFresh', status: 403 })
      const chosen = chosenIn(c, fields)
      const wanted = newToken(options, tokens, chosen)
      if (wanted === undefined) return page(c, visit, { problem: 'incomplete', status: 400 }, chosen)
      const { subject } = visit.session
      try {
        const { text, token } = await tokens.create({ ...wanted, subject })
        return page(c, visit, { made: { label: token.label, text } })
      } catch (error) {
        return page(c, visit, refused(error), chosen)
      }
    }),
    end: change(async (c, { session }, { id = '' }) => {
      const { subject } = session
      const token = (await tokens.list(subject)).find((one) => one.id === id)
      if (token === undefined || !(await tokens.end(subject, id))) return seeOther(c, path)
      const notice = { session: session.id, label: token.label }
      return seeOther(c, addressOf(path, { ended: signValue(noticeKey, notice, NOTICE_LIFETIME_SECONDS) }))
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
