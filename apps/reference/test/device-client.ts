import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { formOfPage } from '@grantkit/testkit/client'
import type { RunningService } from './service.ts'

/** A command-line tool that the operator added as a public client. */
export async function addTool({ clients }: RunningService, metadata: object = {}) {
  return clients.add({
    clientName: 'School on the command line',
    redirectUris: [],
    tokenEndpointAuthMethod: 'none',
    grantTypes: [DEVICE_CODE_GRANT, 'refresh_token'],
    ...metadata,
  })
}

/** A user who enters the user code on the page of the service, and decides. @returns the last page */
export async function answerDevice(
  { baseUrl }: RunningService,
  userCode: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<string> {
  const cookie = await sessionCookie(baseUrl)
  const read = async (path: string, body?: URLSearchParams) => {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await fetch(new URL(path, baseUrl), { method, headers: { cookie }, body: body ?? null })
    return { status: answer.status, headers: {}, body: await answer.text() }
  }
  const submit = async (page: Awaited<ReturnType<typeof read>>, more: Record<string, string>) => {
    const form = formOfPage(page)
    const untouched = form.fields.filter(([name]) => !(name in more)).map((field) => [...field])
    return read(form.action, new URLSearchParams([...untouched, ...Object.entries(more)]))
  }
  const request = await submit(await read('/oauth/device'), { user_code: userCode })
  return (await submit(request, { decision })).body
}
