import { returnPath } from '@grantkit/core'
import { fillText, html } from '@grantkit/pages'
import type { Context } from 'hono'
import { ExternalSignInError } from '../accounts/external-sign-in/sign-in-error.ts'
import type { SignInEvent } from '../events.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import { pageResponse } from '../http/page.ts'
import { localesOf, signInAddress, wishesIn } from '../http/sign-in-wishes.ts'
import { signedIn } from './login.ts'
import { inLanguage, type Says } from './page-language.ts'
import type { ExternalParts, PageParts } from './parts.ts'
import { backToApp, forOperator, nameOfApp, needsNoSignIn, visitOf } from './sign-in-page.ts'

/** Sign-in by the application: the redirect to it, which is in place of the sign-in page, and the callback. */
export function externalLogin(options: PageParts, { signIn, imported }: ExternalParts) {
  const home = `${options.site.basePath}/`
  const host = new URL(signIn.url).host

  async function begin(c: Context): Promise<Response> {
    const returnTo = returnPath(c.req.query('return_to'), home)
    const cookie = c.req.header('cookie')
    if (await needsNoSignIn(c, options)) return seeOther(c, returnTo)
    const { location, cookies } = await signIn.begin(cookie, {
      returnTo,
      wishes: wishesIn(c.req.query()),
      loginHint: c.req.query('login_hint'),
      clientName: nameOfApp(await options.requestingApp(returnTo)),
    })
    for (const line of cookies) c.header('set-cookie', line, { append: true })
    return seeOther(c, location)
  }

  async function finish(c: Context): Promise<Response> {
    const { user, returnTo } = await signIn.finish(c.req.header('cookie'), c.req.query('response'))
    const account = await imported.signIn(user)
    if (typeof account === 'string') {
      const event = failed(`application_account_${account}`, user.sub)
      return problem(c, event, 403, ({ signInElsewhere }) => signInElsewhere[account])
    }
    const { authTime, acr, amr } = user
    const facts = { signedInBy: 'application', authTime, acr, amr }
    const usedCookie = signIn.usedCookie(c.req.query('response'))
    return signedIn(options, c, { account, returnTo, usedCookie, ...facts })
  }

  async function problem(c: Context, event: SignInFailed, status: number, words: Says): Promise<Response> {
    const asked = c.req.query('return_to')
    const begun = signIn.returnToOf(c.req.header('cookie'), c.req.query('response')) ?? home
    const returnTo = asked === undefined ? begun : returnPath(asked, home)
    const reference = options.reportFailed(event, { returnTo, status, caller: options.callerOf(c) })
    const app = await options.requestingApp(returnTo)
    // A session that is not new enough would lead straight back.
    const wishes = event.reason === 'application_not_fresh' ? { prompt: 'login' } : wishesIn(c.req.query())
    const site = inLanguage(options.site, c, { uiLocales: localesOf(returnTo) })
    const { language } = site
    const { title, tryAgain } = language.signIn
    const back = backToApp(app, returnTo, await visitOf(c, options.sessions), language)
    const main = html`
<h1>${title}</h1>
<p class="problem" role="alert">${fillText(words(language), { host, provider: host })}</p>${forOperator(reference, language)}
<p><a href="${signInAddress(site.basePath, returnTo, wishes)}">${tryAgain}</a></p>${back}`
    return pageResponse(site, { title, main, status })
  }

  const withProblems = (work: (c: Context) => Promise<Response>) => async (c: Context) => {
    try {
      return await work(c)
    } catch (error) {
      if (!(error instanceof ExternalSignInError)) throw error
      const event = failed(`application_${error.reason}`, undefined, error.detail)
      const { status, words } = SIGN_IN_PROBLEMS[error.reason]
      return problem(c, event, status, words)
    }
  }

  return { begin: withProblems(begin), callback: withProblems(finish) }
}

type SignInFailed = Extract<SignInEvent, { type: 'sign_in_failed' }>

function failed(reason: SignInFailed['reason'], subject: string | undefined, detail?: string): SignInFailed {
  return { type: 'sign_in_failed', reason, subject, ...(detail && { detail }) }
}

const SIGN_IN_PROBLEMS: Readonly<
  Record<ExternalSignInError['reason'], { readonly status: number; readonly words: Says }>
> = {
  denied: { status: 403, words: ({ signInElsewhere }) => signInElsewhere.denied },
  invalid: { status: 403, words: ({ signInElsewhere }) => signInElsewhere.invalid },
  unreachable: { status: 503, words: ({ signInRefused }) => signInRefused.notNow },
  expired: { status: 403, words: ({ signInElsewhere }) => signInElsewhere.expired },
  not_fresh: { status: 403, words: ({ signInElsewhere }) => signInElsewhere.notFresh },
  too_long: { status: 400, words: ({ signInRefused }) => signInRefused.tooLong },
}
