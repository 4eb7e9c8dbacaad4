import { returnPath } from '@grantkit/core'
import type { Context } from 'hono'
import { BY_PASSKEY } from '../config/authentication-classes.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { type SignInCeremony, signInAnswer } from '../passkeys/sign-in-ceremony.ts'
import { attemptPasskey, signInFailed } from '../sign-in/sign-in-attempt.ts'
import { demandIn } from './demand.ts'
import type { LoginOptions } from './login-options.ts'
import { FORM_EXPIRED, type SignInPage, TOO_MANY } from './sign-in-page.ts'
import { signedIn } from './signed-in.ts'

/** Sign-in with a passkey: the options for the script of the page, and the form that it submits. */
export interface PasskeyLogin {
  options(c: Context): Promise<Response>
  submit(c: Context<WithBody>): Promise<Response>
}

export function passkeyLogin(
  options: LoginOptions,
  page: SignInPage,
  ceremony: SignInCeremony,
): PasskeyLogin {
  const home = `${options.site.basePath}/`
  return {
    options: async (c) => {
      const { options: ceremonyOptions, cookie } = await ceremony.begin()
      return c.json(ceremonyOptions, 200, { 'set-cookie': cookie, 'cache-control': 'no-store' })
    },
    submit: async (c) => {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const demand = demandIn(options.site, c, fields)
      const again = (status: number, problem: string, headers = {}) =>
        page.show({
          returnTo,
          status,
          problem,
          headers,
          passkeysInField: false,
          demand,
          prompt: fields.prompt,
        })
      if (!page.isOwnForm(c, fields.token)) return again(403, FORM_EXPIRED)
      const answer = signInAnswer(fields.answer ?? '')
      const presented = answer && (await ceremony.find(c.req.header('cookie'), answer))
      const tried = presented
        ? await attemptPasskey(options, options.callerOf(c), presented.passkey.id, () =>
            ceremony.verify(presented),
          )
        : { account: undefined }
      if ('account' in tried && tried.account)
        return signedIn(options, page, c, {
          ...{ account: tried.account, returnTo, signedInBy: 'passkey' },
          ...BY_PASSKEY,
        })
      options.onEvent(signInFailed(tried, 'wrong_passkey'))
      if ('wait' in tried) return again(429, TOO_MANY, { 'retry-after': String(tried.wait) })
      const instead = demand === undefined ? ', or use your password' : ''
      return again(401, `This passkey did not sign you in. Please try again${instead}.`)
    },
  }
}
