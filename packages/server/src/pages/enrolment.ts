import { returnPath } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { dayInWords, fillText, html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { RegistrationCeremony } from '../accounts/passkeys/ceremonies.ts'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { addressOf, pageResponse } from '../http/page.ts'
import { signInAddress } from '../http/sign-in-wishes.ts'
import { MAX_NAME_LENGTH, NOT_ADDED } from './change-sign-in.ts'
import { inLanguage, type Says } from './page-language.ts'
import type { PageParts } from './parts.ts'

/** The pages of users who must have a passkey. */
export function enrolmentPages(options: PageParts, registration: RegistrationCeremony) {
  const { baseUrl, enrolments, requiredPasskeys, onEvent } = options
  const { basePath } = options.site
  const path = `${basePath}/login/enrol`
  const account = `${basePath}/account`
  const returnTo = (c: Context) => returnPath(c.req.query('return_to'), account)
  const enrolmentOf = (c: Context) => enrolments.find(c.req.header('cookie'))
  /** Of the account that the form names: another tab may have begun for another one. */
  const enrolmentOfForm = async (c: Context) => {
    const enrolment = await enrolmentOf(c)
    return enrolment?.account.id === c.req.query('sub') ? enrolment : undefined
  }

  function over(c: Context): Response {
    const site = inLanguage(options.site, c)
    const { firstPasskey, signIn } = site.language
    const main = html`
<h1>${firstPasskey.over}</h1>
<p>${firstPasskey.overWhy}</p>
<p><a href="${signInAddress(basePath, returnTo(c))}">${signIn.title}</a></p>`
    return pageResponse(site, { title: firstPasskey.over, main, status: 403, formAction: ["'self'"] })
  }

  async function form(c: Context, problem?: Says): Promise<Response> {
    const enrolment = await enrolmentOf(c)
    if (enrolment === undefined) return over(c)
    const { id: sub, name, email = '' } = enrolment.account
    const site = inLanguage(options.site, c)
    const { firstPasskey, methods } = site.language
    const main = html`
<h1>${firstPasskey.title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem(site.language)}</p>`}
<p><bdi>${name}</bdi> <bdi>${email}</bdi></p>
<p>${enrolment.link === '' ? firstPasskey.why : firstPasskey.whyLink}</p>
<p>${firstPasskey.how}</p>
<form method="post" action="${addressOf(`${path}/passkey`, { sub, return_to: returnTo(c) })}" class="card" data-passkey="create" hidden>
  <input type="hidden" name="answer">
  <label for="passkey-name">${firstPasskey.name}</label>
  <input id="passkey-name" name="name" maxlength="${MAX_NAME_LENGTH}" required placeholder="${methods.example}">
  <button class="primary">${firstPasskey.title}</button>
</form>
<p class="hint">${firstPasskey.none}</p>`
    const status = problem === undefined ? 200 : 403
    const shown = { title: firstPasskey.title, main, status, formAction: ["'self'"], script: 'passkeys.js' }
    return pageResponse(site, shown)
  }

  return {
    /** Tells of the day. The user is signed in. */
    notice(c: Context) {
      const { from } = requiredPasskeys
      if (from === undefined) return seeOther(c, returnTo(c))
      const site = inLanguage(options.site, c)
      const { firstPasskey } = site.language
      const main = html`
<h1>${firstPasskey.noticeTitle}</h1>
<p>${fillText(firstPasskey.noticeFrom, { day: dayInWords(site.language, from) })}</p>
<p><a href="${account}#sign-in">${firstPasskey.noticeAdd}</a></p>
<p><a href="${returnTo(c)}">${firstPasskey.noticeLater}</a></p>`
      return pageResponse(site, { title: firstPasskey.noticeTitle, main, formAction: ["'self'"] })
    },
    /** The form for a passkey; with the token of a link, the way to it. */
    async show(c: Context) {
      const token = c.req.query('token')
      if (token === undefined) return form(c)
      const enrolment = await enrolments.ofLink(token)
      if (enrolment === undefined) return over(c)
      // The token does not stay in the address of the page.
      c.header('set-cookie', enrolments.begin(enrolment.account, enrolment.link))
      return seeOther(c, path)
    },
    async options(c: Context) {
      const enrolment = await enrolmentOfForm(c)
      if (enrolment === undefined)
        return jsonError(c, 403, 'access_denied', 'There is nothing to add here any more')
      const { options, cookies } = await registration.begin(c.req.header('cookie'), enrolment.account)
      return c.json(options, 200, { 'set-cookie': cookies, 'cache-control': 'no-store' })
    },
    async add(c: Context<WithBody>) {
      const enrolment = isCrossSite(baseUrl, c.req.header()) ? undefined : await enrolmentOfForm(c)
      if (enrolment === undefined) return over(c)
      const { answer = '', name = '' } = formOf(c)
      const made = await registration.verify(c.req.header('cookie'), enrolment.account, answer)
      const named = { name: name.trim().slice(0, MAX_NAME_LENGTH) || 'Passkey', addedAt: Date.now() }
      if (made === undefined || !(await enrolments.finish(enrolment, { ...made, ...named })))
        return form(c, NOT_ADDED)
      onEvent({ type: 'passkey_added', subject: enrolment.account.id, passkey: made.id })
      c.header('set-cookie', enrolments.usedCookie)
      // The answer of a new passkey proves nothing about its key (no attestation): a sign-in with it does.
      return seeOther(c, signInAddress(basePath, returnTo(c), { acrValues: 'phr' }))
    },
  }
}
