import type { HttpResponse, Interaction } from '@grantkit/core'
import type { DeviceInteraction } from '@grantkit/core/device'

/** The pages of an application for whom every browser is Alice's, as forms that the kit fills in. */

export function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}

interface Decision {
  readonly action: string
  readonly ticket: string
  readonly scopes: readonly { readonly name: string }[]
}

const decisionPage = ({ action, ticket, scopes }: Decision): HttpResponse =>
  page(
    200,
    `<form method="post" action="${action.replaceAll('&', '&amp;')}">
       <input type="hidden" name="ticket" value="${ticket}">
       ${scopes.map(({ name }) => `<input type="checkbox" name="scope" value="${name}">`).join('')}
       <button name="decision" value="deny">Deny</button> <button name="decision" value="allow">Allow</button>
     </form>`,
  )

export function interactionOf(authTime: number): Interaction {
  return {
    session: async () => ({ id: 'session', subject: 'alice', authTime }),
    signIn: () => page(200, 'sign in'),
    consentPage: decisionPage,
    errorPage: ({ status, description }) => page(status, description),
  }
}

export const devicePages: DeviceInteraction = {
  userCodePage: ({ action, ticket }) =>
    page(
      200,
      `<form method="post" action="${action}">
         <input type="hidden" name="ticket" value="${ticket}"><input name="user_code">
       </form>`,
    ),
  devicePage: decisionPage,
  deviceAnsweredPage: () => page(200, 'Go back to the device.'),
}
