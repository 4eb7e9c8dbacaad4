import type { HttpResponse } from '@grantkit/core'
import { html, pages } from '@grantkit/pages'

/** The consent and error pages, in your brand. */
export const ui = pages({
  brand: { name: 'Notes' },
  user: ({ subject }) => ({ name: subject }),
  links: { signOut: (to) => `/logout?${new URLSearchParams({ to })}` },
})

/** @param problem why the user sees the form again */
export function signInPage(status = 200, problem?: string): Response {
  const title = 'Sign in'
  // Without `action` the form goes to the address of its page, which has `to` in it.
  const main = html`
<h1>${title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post">
  <label class="field" for="user">User name</label>
  <input id="user" name="user" autocomplete="username" autocapitalize="none" required>
  <label class="field" for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required>
  <button class="primary">${title}</button>
</form>`
  // `any`: the sign-in leads to the app, and this page does not know its address.
  return responseOf(ui.page({ title, status, main, formAction: 'any' }))
}

export function signOutPage(): Response {
  const title = 'Sign out'
  const main = html`<h1>${title}?</h1><form method="post"><button class="primary">${title}</button></form>`
  return responseOf(ui.page({ title, main, formAction: 'any' }))
}

function responseOf({ status, headers, body }: HttpResponse): Response {
  return new Response(body, {
    status,
    headers: Object.entries(headers).map(([name, value]) => [name, `${value}`]),
  })
}
