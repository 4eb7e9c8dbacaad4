import type { RunningService } from './service.ts'
import { sessionCookie } from './user.ts'

/** Creates a personal access token by the form of its page, as a browser does. @returns its text */
export async function personalToken(
  { baseUrl }: Pick<RunningService, 'baseUrl'>,
  form: {
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
    readonly label?: string
  },
): Promise<string> {
  const headers = { cookie: await sessionCookie(baseUrl) }
  const page = await (await fetch(`${baseUrl}/account/tokens`, { headers })).text()
  const body = new URLSearchParams({ label: form.label ?? 'Nightly job', days: '30' })
  body.set('ticket', /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '')
  for (const scope of form.scopes) body.append('scope', scope)
  for (const resource of form.resources) body.append('resource', resource)
  const made = await fetch(`${baseUrl}/account/tokens`, { method: 'POST', headers, body })
  return /<textarea[^>]*>(gkp_[^<]+)</.exec(await made.text())?.[1] ?? ''
}
