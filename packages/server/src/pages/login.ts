import { returnPath } from '@grantkit/core'
import type { Context } from 'hono'
import { BY_PASSWORD } from '../config/authentication-classes.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { attemptPassword, signInFailed } from '../sign-in/sign-in-attempt.ts'
import { demandIn } from './demand.ts'
import type { LoginOptions } from './login-options.ts'
import { FORM_EXPIRED, type SignInPage, TOO_MANY } from './sign-in-page.ts'
import { signedIn } from './signed-in.ts'

export interface Login {
  show(c: Context): Promise<Response>
  submit(c: Context<WithBody>): Promise<Response>
}

/** Signs in with a password. */
export function login(options: LoginOptions, page: SignInPage): Login {
  const home = `${options.site.basePath}/`
  return {
    show: (c) =>
      page.show({
        returnTo: returnPath(c.req.query('return_to'), home),
        email: c.req.query('login_hint') ?? '',
        demand: demandIn(options.site, c, c.req.query()),
        prompt: c.req.query('prompt'),
      }),
    submit: async (c) => {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const email = (fields.email ?? '').slice(0, 254)
      const { prompt } = fields
      const demand = demandIn(options.site, c, fields)
      const again = (status: number, problem: string, headers = {}) =>
        page.show({ returnTo, email, status, problem, headers, demand, prompt })
      if (!page.isOwnForm(c, fields.token)) return again(403, FORM_EXPIRED)
      const tried = await attemptPassword(options, options.callerOf(c), email, fields.password ?? '')
      if ('account' in tried && tried.account)
        return signedIn(options, page, c, {
          ...{ account: tried.account, returnTo, signedInBy: 'password' },
          ...BY_PASSWORD,
        })
      options.onEvent(signInFailed(tried, 'wrong_password', await options.accounts.idOf(email)))
      if ('wait' in tried) return again(429, TOO_MANY, { 'retry-after': String(tried.wait) })
      return again(401, 'This e-mail address and password do not belong together.')
    },
  }
}
