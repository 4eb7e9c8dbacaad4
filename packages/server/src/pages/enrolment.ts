import { returnPath } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { RegistrationCeremony } from '../accounts/passkeys/ceremonies.ts'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { addressOf, pageResponse } from '../http/page.ts'
import { signInAddress } from '../http/sign-in-wishes.ts'
import { MAX_NAME_LENGTH, NOT_ADDED } from './change-sign-in.ts'
import type { LoginOptions } from './login.ts'

const WORDS = {
  title: 'Add a passkey',
  why: 'Your account needs a passkey. Until it has one, you are not signed in.',
  how: 'A passkey is kept by your device or your password manager, and you confirm it by finger, face or PIN. Afterwards you sign in with it.',
  name: 'Name of the passkey',
  example: 'My laptop',
  none: 'No button? This browser has no passkeys, or no script. Begin again in another one.',
  over: 'Here is nothing to add any more',
  overWhy:
    'A sign-in is good for five minutes and for a first passkey, and a link for one day and one passkey.',
  toSignIn: 'Sign in',
  noticeTitle: 'You will need a passkey',
  noticeFrom: (day: string) => `From ${day} on, you can sign in with a passkey only. Your account has none.`,
  noticeAdd: 'Add a passkey now',
  noticeLater: 'Not now',
}

/** `2026-12-15` as `15 December 2026`. */
const IN_WORDS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The pages of users who must have a passkey. */
export interface EnrolmentPages {
  /** Tells of the day. The user is signed in. */
  notice(c: Context): Response
  /** The form for a passkey; with the token of a link, the way to it. */
  show(c: Context): Promise<Response>
  options(c: Context): Promise<Response>
  add(c: Context<WithBody>): Promise<Response>
}

export function enrolmentPages(options: LoginOptions, registration: RegistrationCeremony): EnrolmentPages {
  const { site, baseUrl, enrolments, requiredPasskeys, onEvent } = options
  const path = `${site.basePath}/login/enrol`
  const account = `${site.basePath}/account`
  const returnTo = (c: Context) => returnPath(c.req.query('return_to'), account)
  const enrolmentOf = (c: Context) => enrolments.find(c.req.header('cookie'))

  function over(c: Context): Response {
    const main = html`
<h1>${WORDS.over}</h1>
<p>${WORDS.overWhy}</p>
<p><a href="${signInAddress(site.basePath, returnTo(c))}">${WORDS.toSignIn}</a></p>`
    return pageResponse(site, { title: WORDS.over, main, status: 403, formAction: ["'self'"] })
  }

  async function form(c: Context, problem?: string): Promise<Response> {
    const enrolment = await enrolmentOf(c)
    if (enrolment === undefined) return over(c)
    const { name, email = '' } = enrolment.account
    const main = html`
<h1>${WORDS.title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<p><bdi>${name}</bdi> <bdi>${email}</bdi></p>
<p>${WORDS.why}</p>
<p>${WORDS.how}</p>
<form method="post" action="${addressOf(`${path}/passkey`, { return_to: returnTo(c) })}" class="card" data-passkey="create" hidden>
  <input type="hidden" name="answer">
  <label for="passkey-name">${WORDS.name}</label>
  <input id="passkey-name" name="name" maxlength="${MAX_NAME_LENGTH}" required placeholder="${WORDS.example}">
  <button class="primary">${WORDS.title}</button>
</form>
<p class="hint">${WORDS.none}</p>`
    const status = problem === undefined ? 200 : 403
    const shown = { title: WORDS.title, main, status, formAction: ["'self'"], script: 'passkeys.js' }
    return pageResponse(site, shown)
  }

  return {
    notice(c) {
      const { from } = requiredPasskeys
      if (from === undefined) return seeOther(c, returnTo(c))
      const main = html`
<h1>${WORDS.noticeTitle}</h1>
<p>${WORDS.noticeFrom(IN_WORDS.format(new Date(from)))}</p>
<p><a href="${account}#sign-in">${WORDS.noticeAdd}</a></p>
<p><a href="${returnTo(c)}">${WORDS.noticeLater}</a></p>`
      return pageResponse(site, { title: WORDS.noticeTitle, main, formAction: ["'self'"] })
    },
    async show(c) {
      const token = c.req.query('token')
      if (token === undefined) return form(c)
      const enrolment = await enrolments.ofLink(token)
      if (enrolment === undefined) return over(c)
      // The token does not stay in the address of the page.
      c.header('set-cookie', enrolments.begin(enrolment.account, enrolment.link))
      return seeOther(c, path)
    },
    async options(c) {
      const enrolment = await enrolmentOf(c)
      if (enrolment === undefined) return jsonError(c, 403, 'access_denied', WORDS.over)
      const { options, cookies } = await registration.begin(c.req.header('cookie'), enrolment.account)
      return c.json(options, 200, { 'set-cookie': cookies, 'cache-control': 'no-store' })
    },
    async add(c) {
      const enrolment = isCrossSite(baseUrl, c.req.header()) ? undefined : await enrolmentOf(c)
      if (enrolment === undefined) return over(c)
      const { answer = '', name = '' } = formOf(c)
      const made = await registration.verify(c.req.header('cookie'), enrolment.account, answer)
      const named = { name: name.trim().slice(0, MAX_NAME_LENGTH) || 'Passkey', addedAt: Date.now() }
      if (made === undefined || !(await enrolments.finish(enrolment, { ...made, ...named })))
        return form(c, NOT_ADDED)
      onEvent({ type: 'passkey_added', subject: enrolment.account.id, passkey: made.id })
      c.header('set-cookie', enrolments.usedCookie)
      // The answer of a new passkey proves nothing about its key (no attestation): a sign-in with it does.
      return seeOther(c, signInAddress(site.basePath, returnTo(c), { acrValues: 'phr' }))
    },
  }
}
